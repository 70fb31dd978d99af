// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

/// A backend, a network, and a folder in which devices live.
struct World: Sendable {
    let time = VirtualTime()
    let backend: Backend
    let path: String
    let weather = Guarded(Network.Weather.fine)
    /// Stands for everything of the person's on the device: a picture, a record, a memory.
    let memory = Guarded(0)

    init(life: TimeInterval = 3_600) {
        backend = Backend(time, life: life)
        path = FileManager.default.temporaryDirectory.appendingPathComponent("world-\(UUID().uuidString)").path
    }

    static func with(life: TimeInterval = 3_600, _ use: (World) async throws -> Void) async throws {
        let world = World(life: life)
        defer { try? FileManager.default.removeItem(atPath: world.path) }
        try FileManager.default.createDirectory(atPath: world.path, withIntermediateDirectories: true)
        try await use(world)
    }

    var folder: StateFolder { get throws { try StateFolder(path + "/state") } }
    var images: String { path + "/images" }
    var database: String { path + "/app.sqlite" }

    var network: Network { Network(backend: backend, weather: { weather.withLock { $0 } }) }

    /// A process on the device; all of one world share its folder.
    func device(
        _ provider: (any SessionProvider)? = nil, in other: StateFolder? = nil, store: (any TokenStore)? = nil,
        participants: [any Participant]? = nil, subscriptions: (any SubscriptionService)? = nil,
        observe: @escaping DepartureObserver = { _ in }
    ) throws -> FarewellDevice {
        let folder = try other ?? self.folder
        return try FarewellDevice(
            provider ?? network, in: folder, store: store ?? FileTokenStore(in: folder), participants: participants ?? self.participants,
            subscriptions: subscriptions, environment: time.environment(), observe: observe)
    }

    /// The files that a kill of the device's process leaves at this moment.
    func crashed() throws -> StateFolder {
        try FileManager.default.copyItem(atPath: path + "/state", toPath: path + "/crashed")
        return try StateFolder(path + "/crashed")
    }

    var participants: [any Participant] {
        [
            FolderParticipant("images", at: images), DatabaseParticipant("database", at: database),
            MemoryParticipant("messages", clear: { memory.withLock { $0 = 0 } }, count: { memory.withLock { $0 } }),
        ]
    }

    /// A device on which Anna is signed in and has left traces.
    func signedIn(_ user: String = "anna", _ device: FarewellDevice? = nil) async throws -> (FarewellDevice, DeviceSession) {
        let device = try device ?? self.device()
        await device.launch()
        let backend = backend
        let session = try await device.signIn { () async throws(ProviderFailure) in backend.signIn(user) }
        try leaveTraces()
        return (device, session)
    }

    func leaveTraces() throws {
        try FileManager.default.createDirectory(atPath: images + "/faces", withIntermediateDirectories: true)
        try Data("a face".utf8).write(to: URL(fileURLWithPath: images + "/faces/1.jpg"))
        for suffix in ["", "-wal", "-shm"] { try Data("a record".utf8).write(to: URL(fileURLWithPath: database + suffix)) }
        memory.withLock { $0 = 3 }
    }

    /// As on a full disk: no file of the state folder can be written any more, and each can be removed.
    func fillDisk() throws {
        for name in Self.stateFiles {
            // A file is written beside its former one, under a name that this folder has now.
            try FileManager.default.createDirectory(atPath: path + "/state/\(name).new", withIntermediateDirectories: true)
        }
    }

    func makeRoom() throws {
        for name in Self.stateFiles { try FileManager.default.removeItem(atPath: path + "/state/\(name).new") }
    }

    private static let stateFiles = [
        "claim", "deletion.claim", "journal", "outbox", "session", "session.stored", "person", "asked", "installation.key",
    ]

    func isThere(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    /// Everything in the state folder, as bytes.
    func stateBytes() throws -> Data {
        let folder = path + "/state"
        return try FileManager.default.contentsOfDirectory(atPath: folder).sorted().reduce(into: Data()) { all, name in
            all += try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
        }
    }
}

/// The code of the error that `work` throws; nil when it throws none.
func code(_ work: () async throws -> Void) async -> String? {
    do {
        try await work()
        return nil
    } catch {
        return (error as? FarewellError)?.code.rawValue ?? "\(type(of: error))"
    }
}
