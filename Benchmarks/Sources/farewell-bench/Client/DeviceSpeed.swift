// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// The times that a user waits for on a device: the session at launch, a cached token, a sign-out without a network.
struct DeviceSpeed: Comparison {
    let name = "device"
    let title = "a device with ten participants, its session in an encrypted file; what the client adds to a program"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let count = world.isQuick ? 50 : 500
        var (restoring, asking, leaving) = (Latencies(), Latencies(), Latencies())
        for index in 0..<count {
            let place = try DevicePlace(world.folder.appending(path: "device-\(index)").path)
            try await place.signIn()
            try await restoring.time { guard await place.launched() else { throw DevicePlace.odd } }
            try await asking.add(place.timeOfSession())
            try await leaving.time { guard try await place.signOut() else { throw DevicePlace.odd } }
            place.remove()
        }
        return [
            line("restored at launch", restoring, .milliseconds(5)),
            line("`session` while it is good", asking, .microseconds(10)),
            line("signed out offline", leaving, .milliseconds(50)),
        ] + ProgramSize.lines
    }

    /// A figure beside the most it may be, which is its baseline.
    private func line(_ what: String, _ latencies: Latencies, _ most: Duration) -> Report.Line {
        Report.Line(
            what: what, ours: latencies.text, baseline: "at most \(most.text)",
            ratio: latencies.percentile(0.99) / most, target: .atMost(1))
    }
}

/// A device on its own folder, without a network.
struct DevicePlace {
    private let folder: String
    static let odd = FarewellError("bench.device", .ours, "The device did not do what it was measured for.")

    init(_ folder: String) throws {
        self.folder = folder
        for index in 0..<4 {
            let pictures = folder + "/pictures-\(index)"
            try FileManager.default.createDirectory(atPath: pictures, withIntermediateDirectories: true)
            for picture in 0..<25 {
                try Data(repeating: 7, count: 4_096).write(to: URL(filePath: pictures + "/\(picture).jpg"))
            }
        }
        for index in 0..<3 {
            for end in ["", "-wal", "-shm"] {
                try Data(repeating: 7, count: 4_096).write(to: URL(filePath: folder + "/library-\(index).sqlite" + end))
            }
        }
    }

    func remove() { try? FileManager.default.removeItem(atPath: folder) }

    /// A device of a process that has just begun.
    private func device() throws -> FarewellDevice {
        let nobody = URL(string: "http://127.0.0.1:1") ?? URL(filePath: "/")
        let participants: [any Participant] =
            (0..<4).map { FolderParticipant("pictures \($0)", at: folder + "/pictures-\($0)") }
            + (0..<3).map {
                DatabaseParticipant("library \($0)", at: folder + "/library-\($0).sqlite", clears: .onSignOut)
            } + (0..<3).map { MemoryParticipant("cache \($0)", clear: {}) }
        return try FarewellDevice(
            FarewellProvider(nobody), in: StateFolder(folder + "/state"), participants: participants)
    }

    func signIn() async throws {
        let device = try device()
        await device.launch()
        let session = DeviceSession(
            id: "s", user: DeviceUser(id: "u", email: "anna@example.org"),
            accessToken: Token(String(repeating: "a", count: 700)), refreshToken: Token("refresh"),
            signOutTicket: Token("ticket"), expiresAt: Date().addingTimeInterval(3_600), lifetime: 3_600)
        try await device.signIn { () async throws(ProviderFailure) in ProviderAnswer(session) }
    }

    /// Whether a user is signed in right after the launch.
    func launched() async -> Bool { await (try? device().launch())?.session != nil }

    /// How long one look at a good session takes.
    func timeOfSession() async throws -> Duration {
        let device = try device()
        await device.launch()
        let watch = Stopwatch()
        for _ in 0..<1_000 { _ = try await device.session }
        return watch.elapsed() / 1_000
    }

    /// Signs out without a server; returns whether the device is clean.
    func signOut() async throws -> Bool {
        let device = try device()
        await device.launch()
        let result = try await device.signOut()
        return result.device.isClean && result.server == .pending
    }
}
