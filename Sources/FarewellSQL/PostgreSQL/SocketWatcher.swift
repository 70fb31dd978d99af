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

    /// - Returns: Whether the system watches the socket; otherwise its events are not reported.
    func watch(_ socket: Int32, _ handler: @escaping Handler) -> Bool { loop.watch(socket, handler) }

    /// - Returns: Whether the system does.
    func setWriting(_ socket: Int32, _ isWriting: Bool) -> Bool { loop.setWriting(socket, isWriting) }

    func unwatch(_ socket: Int32) { loop.unwatch(socket) }

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

    private let epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    private let signal = eventfd(0, Int32(EFD_CLOEXEC))
    private let handlers = Guarded<[Int32: SocketWatcher.Handler]>([:])
    private let work = Guarded(Work())
    /// If the system does not watch the signal, the thread polls for work.
    private let isSignalWatched: Bool
    /// Milliseconds between two looks.
    private static let look: Int32 = 20

    init() { isSignalWatched = Self.control(epoll, EPOLL_CTL_ADD, signal, Self.reading) }

    deinit {
        close(epoll)
        close(signal)
    }

    func watch(_ socket: Int32, _ handler: @escaping SocketWatcher.Handler) -> Bool {
        handlers.withLock { $0[socket] = handler }
        return control(EPOLL_CTL_ADD, socket, Self.reading)
    }

    func setWriting(_ socket: Int32, _ isWriting: Bool) -> Bool {
        control(EPOLL_CTL_MOD, socket, isWriting ? Self.reading | Self.writing : Self.reading)
    }

    func unwatch(_ socket: Int32) {
        _ = control(EPOLL_CTL_DEL, socket, 0)
        handlers.withLock { $0[socket] = nil }
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
        let socket = event.data.fd
        if socket == signal {
            var wakes: UInt64 = 0
            _ = read(signal, &wakes, 8)
            return
        }
        let isWritable = event.events & EPOLLOUT.rawValue != 0
        let isReadable = event.events & ~EPOLLOUT.rawValue != 0
        handlers.withLock { $0[socket] }?(isReadable, isWritable)
    }

    private func control(_ operation: Int32, _ socket: Int32, _ interest: UInt32) -> Bool {
        Self.control(epoll, operation, socket, interest)
    }

    private static func control(_ epoll: Int32, _ operation: Int32, _ socket: Int32, _ interest: UInt32) -> Bool {
        var event = epoll_event()
        event.events = interest
        event.data.fd = socket
        return epoll_ctl(epoll, operation, socket, &event) == 0
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
    private let sources = Guarded<[Int32: Sources]>([:])

    func watch(_ socket: Int32, _ handler: @escaping Handler) -> Bool {
        let reading = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        reading.setEventHandler { handler(true, false) }
        sources.withLock { $0[socket] = Sources(reading: reading, handler: handler) }
        reading.activate()
        return true
    }

    func setWriting(_ socket: Int32, _ isWriting: Bool) -> Bool {
        sources.withLock { sources in
            if isWriting, let handler = sources[socket]?.handler, sources[socket]?.writing == nil {
                let writing = DispatchSource.makeWriteSource(fileDescriptor: socket, queue: queue)
                writing.setEventHandler { handler(false, true) }
                sources[socket]?.writing = writing
                writing.activate()
            } else if !isWriting {
                sources[socket]?.writing?.cancel()
                sources[socket]?.writing = nil
            }
        }
        return true
    }

    /// Runs `body` wherever Swift concurrency does: tasks have no executors of their own on all systems supported.
    func hosting<Value>(_ body: () async throws -> Value) async throws -> Value { try await body() }

    func unwatch(_ socket: Int32) {
        let ended = sources.withLock { $0.removeValue(forKey: socket) }
        ended?.reading.cancel()
        ended?.writing?.cancel()
    }
}
#endif
