// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibPQ
import Farewell
import Foundation
import Glibc

/// One thread that waits for many sockets (epoll) and calls back when one is readable or writable.
///
/// Watching for data is level-triggered and always on, so that a statement costs no system call to
/// arm it, and a connection that the server ends is noticed at once.
final class SocketWatcher: Sendable {
    typealias Handler = @Sendable (_ isReadable: Bool, _ isWritable: Bool) -> Void

    private let epoll: Int32
    private let bell: Int32
    private let handlers = Guarded<[Int32: Handler]>([:])

    init() {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        bell = eventfd(0, Int32(EFD_CLOEXEC))
        control(EPOLL_CTL_ADD, bell, Self.reading)
        let loop = Loop(epoll: epoll, bell: bell, handlers: handlers)
        let thread = Thread { loop.run() }
        thread.name = "farewell-sockets"
        thread.start()
    }

    deinit {
        var one: UInt64 = 1
        _ = write(bell, &one, 8)
    }

    func watch(_ socket: Int32, _ handler: @escaping Handler) {
        handlers.withLock { $0[socket] = handler }
        control(EPOLL_CTL_ADD, socket, Self.reading)
    }

    func setWriting(_ socket: Int32, _ isWriting: Bool) {
        control(EPOLL_CTL_MOD, socket, isWriting ? Self.reading | Self.writing : Self.reading)
    }

    func unwatch(_ socket: Int32) {
        control(EPOLL_CTL_DEL, socket, 0)
        handlers.withLock { $0[socket] = nil }
    }

    private func control(_ operation: Int32, _ socket: Int32, _ interest: UInt32) {
        var event = epoll_event()
        event.events = interest
        event.data.fd = socket
        _ = epoll_ctl(epoll, operation, socket, &event)
    }

    private static let reading = EPOLLIN.rawValue | EPOLLRDHUP.rawValue
    private static let writing = EPOLLOUT.rawValue

    /// What the thread holds; not the watcher itself, whose end must be able to end the thread.
    private struct Loop: Sendable {
        let epoll: Int32
        let bell: Int32
        let handlers: Guarded<[Int32: Handler]>

        func run() {
            var events = [epoll_event](repeating: epoll_event(), count: 64)
            while true {
                let count = epoll_wait(epoll, &events, Int32(events.count), -1)
                for event in events.prefix(Int(max(count, 0))) {
                    let socket = event.data.fd
                    if socket == bell {
                        close(epoll)
                        close(bell)
                        return
                    }
                    let isWritable = event.events & EPOLLOUT.rawValue != 0
                    let isReadable = event.events & ~EPOLLOUT.rawValue != 0
                    handlers.withLock { $0[socket] }?(isReadable, isWritable)
                }
            }
        }
    }
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

    func watch(_ socket: Int32, _ handler: @escaping Handler) {
        let reading = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        reading.setEventHandler { handler(true, false) }
        sources.withLock { $0[socket] = Sources(reading: reading, handler: handler) }
        reading.activate()
    }

    func setWriting(_ socket: Int32, _ isWriting: Bool) {
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
    }

    func unwatch(_ socket: Int32) {
        let ended = sources.withLock { $0.removeValue(forKey: socket) }
        ended?.reading.cancel()
        ended?.writing?.cancel()
    }
}
#endif
