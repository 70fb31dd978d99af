// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// Says which process of the app does what only one may do at a time, such as wiping this device or signing a user in.
///
/// The claim is a record, not a file lock: iOS kills an app that is suspended while it holds a file lock in a shared
/// container. A lock is held only while the record is read and written. A claim ends when its holder releases it, when
/// the holder's process is gone, and when the holder has shown no sign of life for `lease`, as a suspended app does.
struct DeviceClaim: Sendable {
    private let folder: StateFolder
    private let lock: StateLock
    private let environment: ClientEnvironment
    private let file: String
    /// Seconds after its last sign of life that others respect a claim.
    static let lease: TimeInterval = 20
    /// How long a process waits for a claim. Longer than the lease, so that a suspended holder blocks no process.
    static let longestWait = Duration.seconds(30)

    /// - Parameter file: The file of the state folder that names the holder.
    init(in folder: StateFolder, _ environment: ClientEnvironment, file: String = "claim") {
        self.folder = folder
        self.environment = environment
        self.file = file
        lock = StateLock(folder, "journal.lock")
    }

    private struct Record: Codable {
        let holder: String
        let process: Int32
        let until: Date
    }

    /// Waits for the claim, for a sign-in or the request of a deletion.
    ///
    /// - Throws: `device.busy` when another process keeps it longer than `longestWait`; `device.storage` when it cannot
    ///   be recorded.
    func wait() async throws -> Holder { try await wait { throw $0 } }

    /// Waits for the claim, for a departure, which takes place even where the claim cannot be recorded, such as on a
    /// full disk. No user can sign in there: a sign-in records more than that.
    ///
    /// - Throws: `device.busy` when another process keeps it longer than `longestWait`.
    func waitToLeave() async throws -> Holder { try await wait { environment.log($0) } }

    /// The claim for a departure, as `waitToLeave`, if it is free now.
    func takeToLeave() async throws -> Holder? { try await take { environment.log($0) } }

    private func wait(unrecorded: (FarewellError) throws -> Void) async throws -> Holder {
        let begin = environment.elapsed()
        var attempts = 0
        while true {
            if let holder = try await take(unrecorded: unrecorded) { return holder }
            guard environment.elapsed() - begin < Self.longestWait else { throw Self.busy }
            attempts += 1
            try await environment.sleep(RetryPolicy.claims.delay(afterFailures: attempts))
        }
    }

    private func take(unrecorded: (FarewellError) throws -> Void) async throws -> Holder? {
        let holder = environment.makeIdentifier().uuidString
        switch try await attempt(holder, isFirst: true) {
        case .recorded: return Holder(self, holder, environment)
        case .unrecorded(let error, let former):
            try unrecorded(error)
            return Holder(self, unrecordedAfter: former)
        case .taken: return nil
        }
    }

    static let busy = FarewellError(
        "device.busy", .tryAgain, "Another process of this app is signing a user in or out, or deleting the account.")

    fileprivate enum Attempt {
        case recorded
        case taken
        /// The claim is free, and cannot be recorded; with the holder of the former record, if there is one.
        case unrecorded(FarewellError, former: String?)
    }

    /// Records the claim, if it is free or this holder's already.
    fileprivate func attempt(_ holder: String, isFirst: Bool = false) async throws -> Attempt {
        try await lock.hold(environment) {
            let now = environment.now()
            let record = try current
            if let record, record.holder != holder, isHeld(record, now) { return .taken }
            if record?.holder != holder, !isFirst { return .taken }
            let renewed = Record(holder: holder, process: ProcessNumber.own, until: now.addingTimeInterval(Self.lease))
            let data = try JSONEncoder().encode(renewed)
            do {
                try folder.replace(file, with: data)
            } catch {
                return .unrecorded(.of(error), former: record?.holder)
            }
            return .recorded
        }
    }

    /// Whether the record names this holder; `nil` if there is no record.
    fileprivate func names(_ holder: String?) -> Bool { (try? current)?.holder == holder }

    fileprivate func release(_ holder: String) {
        // Others hold the lock for microseconds. A claim that stays all the same ends with its lease or its process.
        for _ in 0..<1_000 {
            let isDone: Bool? = try? lock.tryToHold {
                if try current?.holder == holder { try folder.remove(file) }
                return true
            }
            if isDone == true { return }
            sched_yield()
        }
    }

    /// Removes what a holder has left that does not hold the claim any more.
    func removeAbandoned() {
        let now = environment.now()
        _ = try? lock.tryToHold {
            if let record = try current, !isHeld(record, now) { try folder.remove(file) }
        }
    }

    private var current: Record? {
        get throws {
            do {
                return try folder.read(file).flatMap { try? JSONDecoder().decode(Record.self, from: $0) }
            } catch let error as FarewellError where error.family == .ours {
                // A damaged record names no holder.
                return nil
            }
        }
    }

    private func isHeld(_ record: Record, _ now: Date) -> Bool {
        // A claim with an impossibly late end was written before the clock was turned back.
        let left = record.until.timeIntervalSince(now)
        return left > 0 && left <= 2 * Self.lease && ProcessNumber.mayBeAlive(record.process)
    }

    /// Holds the claim until it is released, or nothing refers to the holder any more.
    final class Holder: Sendable {
        private let claim: DeviceClaim
        /// The holder that the record must name; while this claim is unrecorded, the former one.
        private let name: String?
        private let heart: Guarded<Task<Void, Never>?>

        fileprivate init(_ claim: DeviceClaim, _ name: String, _ environment: ClientEnvironment) {
            self.claim = claim
            self.name = name
            let pause = environment.pause
            heart = Guarded(
                Task {
                    while true {
                        do { try await pause(.seconds(DeviceClaim.lease / 4)) } catch { return }
                        if case .taken? = try? await claim.attempt(name) { return }
                    }
                })
        }

        fileprivate init(_ claim: DeviceClaim, unrecordedAfter former: String?) {
            self.claim = claim
            name = former
            heart = Guarded(nil)
        }

        /// Whether no other process has taken it, because this one showed no sign of life, or could not record it.
        var isHeld: Bool { claim.names(name) }

        func release() {
            let heart = heart.withLock { heart in
                defer { heart = nil }
                return heart
            }
            guard let heart, let name else { return }
            heart.cancel()
            claim.release(name)
        }

        deinit { release() }
    }
}
