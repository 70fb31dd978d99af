// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibPQ
import Farewell
import Foundation
import Glibc

/// One thread that waits for many sockets (epoll), calls back when one is readable or writable, and runs the holders of
/// connections, so that an answer is processed by the thread that it woke.
///
/// Watching for data is level-triggered and always on, so that a statement costs no system call to
/// arm it, and a connection that the server ends is noticed at once.
final class SocketWatcher: TaskExecutor {
    typealias Handler = @Sendable (_ isReadable: Bool, _ isWritable: Bool) -> Void

    private let loop = SocketLoop()

    init() {
        // The thread must not keep the watcher, whose end ends it; nothing runs on a watcher that is gone.
        Thread.detachNewThread { [loop, executor = asUnownedTaskExecutor()] in loop.run(executor) }
    }

    deinit { loop.end() }

    /// Names a socket that is open now, before it is watched.
    func named(_ descriptor: Int32) -> WatchedSocket { loop.named(descriptor) }

    /// - Returns: Whether the system watches the socket; otherwise its events are not reported.
    func watch(_ socket: WatchedSocket, _ handler: @escaping Handler) -> Bool { loop.watch(socket, handler) }

    /// - Returns: Whether the system does.
    func setWriting(_ socket: WatchedSocket, _ isWriting: Bool) -> Bool { loop.setWriting(socket, isWriting) }

    /// Ends the watch of this socket alone, also where another one has got its number.
    func unwatch(_ socket: WatchedSocket) { loop.unwatch(socket) }

    /// Whether this is its thread.
    var isCurrent: Bool { loop.isCurrent }

    func enqueue(_ job: consuming ExecutorJob) { loop.add(UnownedJob(job)) }

    /// Runs `body` on this thread, wherever it is no actor's.
    func hosting<Value>(_ body: () async throws -> Value) async throws -> Value {
        try await withTaskExecutorPreference(self) { try await body() }
    }
}

/// The loop of a watcher's thread.
private final class SocketLoop: Sendable {
    private struct Work: Sendable {
        var jobs: [UnownedJob] = []
        /// Whether the thread waits, or is about to, and must be woken.
        var isWaiting = false
        var isEnding = false
        /// The thread, once it runs.
        var thread: pthread_t?
    }

    private struct Watched: Sendable {
        var handlers: [UInt64: SocketWatcher.Handler] = [:]
        /// The socket that has a number of the system now.
        var owners: [Int32: UInt64] = [:]
        var named: UInt64 = 0
    }

    private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let signal = eventfd(0, Int32(EFD_CLOEXEC))
    private let watched = Guarded(Watched())
    private let work = Guarded(Work())
    /// If the system does not watch the signal, the thread polls for work.
    private let isSignalWatched: Bool
    /// Milliseconds between two looks.
    private static let look: Int32 = 20

    /// The number of the signal, which no socket has.
    private static let signalNumber: UInt64 = 0

    init() {
        let own = WatchedSocket(descriptor: signal, number: Self.signalNumber)
        isSignalWatched = Self.control(epoll, EPOLL_CTL_ADD, own, Self.reading)
    }

    deinit {
        close(epoll)
        close(signal)
    }

    func named(_ descriptor: Int32) -> WatchedSocket {
        watched.withLock { watched in
            watched.named += 1
            return WatchedSocket(descriptor: descriptor, number: watched.named)
        }
    }

    // The system's list changes under the lock, so that it agrees with the owners at any time.

    func watch(_ socket: WatchedSocket, _ handler: @escaping SocketWatcher.Handler) -> Bool {
        watched.withLock { watched in
            watched.handlers[socket.number] = handler
            watched.owners[socket.descriptor] = socket.number
            return Self.control(epoll, EPOLL_CTL_ADD, socket, Self.reading)
        }
    }

    func setWriting(_ socket: WatchedSocket, _ isWriting: Bool) -> Bool {
        watched.withLock { watched in
            guard watched.owners[socket.descriptor] == socket.number else { return false }
            let interest = isWriting ? Self.reading | Self.writing : Self.reading
            return Self.control(epoll, EPOLL_CTL_MOD, socket, interest)
        }
    }

    func unwatch(_ socket: WatchedSocket) {
        watched.withLock { watched in
            watched.handlers[socket.number] = nil
            guard watched.owners[socket.descriptor] == socket.number else { return }
            watched.owners[socket.descriptor] = nil
            _ = Self.control(epoll, EPOLL_CTL_DEL, socket, 0)
        }
    }

    var isCurrent: Bool { work.withLock { $0.thread } == pthread_self() }

    func add(_ job: UnownedJob) { change { $0.jobs.append(job) } }

    func end() { change { $0.isEnding = true } }

    /// Changes the pending work, and wakes the thread for it if it waits.
    private func change(_ change: (inout Work) -> Void) {
        let isWaiting = work.withLock { work in
            change(&work)
            defer { work.isWaiting = false }
            return work.isWaiting
        }
        guard isWaiting else { return }
        var one: UInt64 = 1
        _ = write(signal, &one, 8)
    }

    func run(_ executor: UnownedTaskExecutor) {
        work.withLock { $0.thread = pthread_self() }
        var events = [epoll_event](repeating: epoll_event(), count: 64)
        while true {
            let now = work.withLock { work in
                defer { work.jobs = [] }
                work.isWaiting = work.jobs.isEmpty
                return work
            }
            for job in now.jobs { job.runSynchronously(on: executor) }
            if now.isEnding { return }
            let longest = isSignalWatched ? -1 : Self.look
            let count = epoll_wait(epoll, &events, Int32(events.count), now.isWaiting ? longest : 0)
            // It waits for nothing where the system gave it no place to wait at.
            if count < 0, errno != EINTR { _ = poll(nil, 0, Self.look) }
            work.withLock { $0.isWaiting = false }
            for event in events.prefix(Int(max(count, 0))) { carryOut(event) }
        }
    }

    private func carryOut(_ event: epoll_event) {
        let number = event.data.u64
        if number == Self.signalNumber {
            var wakes: UInt64 = 0
            _ = read(signal, &wakes, 8)
            return
        }
        let isWritable = event.events & EPOLLOUT.rawValue != 0
        let isReadable = event.events & ~EPOLLOUT.rawValue != 0
        watched.withLock { $0.handlers[number] }?(isReadable, isWritable)
    }

    private static func control(
        _ epoll: Int32, _ operation: Int32, _ socket: WatchedSocket, _ interest: UInt32
    ) -> Bool {
        var event = epoll_event()
        event.events = interest
        event.data.u64 = socket.number
        return epoll_ctl(epoll, operation, socket.descriptor, &event) == 0
    }

    private static let reading = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
    private static let writing = EPOLLOUT.rawValue
}
#else
import Dispatch

/// Waits for sockets by Dispatch's sources and calls back when one is readable or writable.
final class SocketWatcher: Sendable {
    typealias Handler = @Sendable (_ isReadable: Bool, _ isWritable: Bool) -> Void

    private struct Sources: Sendable {
        let reading: any DispatchSourceRead
        let handler: Handler
        var writing: (any DispatchSourceWrite)?
    }

    private let queue = DispatchQueue(label: "farewell-sockets", qos: .userInitiated)
    private let sources = Guarded<[UInt64: Sources]>([:])
    private let lastNumber = Guarded<UInt64>(0)

    /// Names a socket that is open now, before it is watched.
    func named(_ descriptor: Int32) -> WatchedSocket {
        lastNumber.withLock { last in
            last += 1
            return WatchedSocket(descriptor: descriptor, number: last)
        }
    }

    func watch(_ socket: WatchedSocket, _ handler: @escaping Handler) -> Bool {
        let reading = DispatchSource.makeReadSource(fileDescriptor: socket.descriptor, queue: queue)
        reading.setEventHandler { handler(true, false) }
        sources.withLock { $0[socket.number] = Sources(reading: reading, handler: handler) }
        reading.activate()
        return true
    }

    func setWriting(_ socket: WatchedSocket, _ isWriting: Bool) -> Bool {
        let number = socket.number
        sources.withLock { sources in
            if isWriting, let handler = sources[number]?.handler, sources[number]?.writing == nil {
                let writing = DispatchSource.makeWriteSource(fileDescriptor: socket.descriptor, queue: queue)
                writing.setEventHandler { handler(false, true) }
                sources[number]?.writing = writing
                writing.activate()
            } else if !isWriting {
                sources[number]?.writing?.cancel()
                sources[number]?.writing = nil
            }
        }
        return true
    }

    /// Runs `body` wherever Swift concurrency does: tasks have no executors of their own on all systems supported.
    func hosting<Value>(_ body: () async throws -> Value) async throws -> Value { try await body() }

    func unwatch(_ socket: WatchedSocket) {
        let ended = sources.withLock { $0.removeValue(forKey: socket.number) }
        ended?.reading.cancel()
        ended?.writing?.cancel()
    }
}
#endif
