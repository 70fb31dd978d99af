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

/// Excludes all other processes, and all other tasks of this one, for a few file operations; never across a wait.
///
/// The system takes the lock back when its process dies. The file holds a counter that grows with every change made
/// under the lock, so that a process that holds a copy notices a change for the price of reading eight bytes.
final class StateLock: Sendable {
    fileprivate let folder: StateFolder
    fileprivate let name: String
    /// The descriptor for the counter; nil until the file can be opened.
    private let counter = Guarded<Int32?>(nil)

    /// Opens nothing yet: before a phone is unlocked for the first time no file can be opened.
    init(_ folder: StateFolder, _ name: String) {
        self.folder = folder
        self.name = name
    }

    deinit {
        if let descriptor = counter.withLock({ $0 }) { close(descriptor) }
    }

    private func opened() -> Int32 { open(folder.file(name), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600) }

    private var counted: Int32? {
        counter.withLock { descriptor in
            if descriptor == nil {
                let fresh = opened()
                if fresh >= 0 { descriptor = fresh }
            }
            return descriptor
        }
    }

    /// Runs `body` while no other process holds this lock; `nil` if one does.
    func tryToHold<Result>(_ body: () throws -> Result) throws -> Result? {
        let descriptor = opened()
        guard descriptor >= 0 else { throw folder.trouble("\(name) cannot be opened") }
        defer { Self.letGo(descriptor) }
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno == EWOULDBLOCK { return nil }
            guard errno == EINTR else { throw folder.trouble("\(name) cannot be locked") }
        }
        return try body()
    }

    /// Ends the lock, and not only this process's hold of it: a child that is just being started has the descriptor
    /// too, until it becomes another program.
    private static func letGo(_ descriptor: Int32) {
        flock(descriptor, LOCK_UN)
        close(descriptor)
    }

    /// How many changes there have been; to be compared, never to be computed with.
    var changes: UInt64 {
        var value: UInt64 = 0
        guard let descriptor = counted else { return 0 }
        return pread(descriptor, &value, 8, 0) == 8 ? value : 0
    }

    /// Notes a change; to be called under the lock.
    func noteChange() {
        guard let descriptor = counted else { return }
        var value = changes &+ 1
        _ = pwrite(descriptor, &value, 8, 0)
    }
}

extension StateLock {
    /// Waits for the lock, at most for so long.
    ///
    /// - Throws: `device.busy` if the lock was not available: its holder makes no progress.
    func hold<Result>(_ environment: ClientEnvironment, _ body: () throws -> Result) async throws -> Result {
        let begin = environment.elapsed()
        var attempts = 0
        while true {
            if let result = try tryToHold(body) { return result }
            guard environment.elapsed() - begin < .seconds(10) else { throw busy }
            attempts += 1
            try await environment.sleep(RetryPolicy.locks.delay(afterFailures: attempts))
        }
    }
}

extension StateLock {
    fileprivate var busy: FarewellError {
        FarewellError("device.busy", .tryAgain, "Another process of this app holds the lock of the state folder.")
    }
}
