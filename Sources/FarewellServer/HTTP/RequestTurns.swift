// SPDX-License-Identifier: Apache-2.0

import Farewell
import NIOCore
import NIOHTTPTypes

/// Passes on one request of a connection at a time, and pauses after each answer if further requests wait.
///
/// A caller may send thousands of requests at once and wait for no answer (pipelining, RFC 9112, 9.3.2). If they were
/// answered without a pause, the event loop would never serve other connections. While a request is held back, nothing
/// more is read from its connection. The pause grows with the delay of the event loop, so that the loop is idle for
/// most of the time, however many connections do this.
final class RequestTurns: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    /// Input that follows a request whose answer is pending.
    private enum Held {
        case part(HTTPRequestPart)
        case error(any Error)
        case event(any Sendable)
    }

    /// The number of bytes that are read from a connection at once, which limits the held input.
    static let longestRead = 8 << 10
    /// The shortest and the longest pause between an answer and a request that already waits.
    static let pauses = (least: TimeAmount.microseconds(100), most: TimeAmount.milliseconds(50))

    private var held = CircularBuffer<Held>()
    private var isAnswered = true
    private var isWaiting = false
    private var wantsRead = false
    private var lateness = TimeAmount.zero

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let part = unwrapInboundIn(data)
        guard held.isEmpty, isNext(part) else { return held.append(.part(part)) }
        handOn(part, context)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard held.isEmpty else { return held.append(.error(error)) }
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // The end of the caller's input is passed on after the input itself.
        guard !held.isEmpty, let closed = event as? ChannelEvent, closed == .inputClosed else {
            return context.fireUserInboundEventTriggered(event)
        }
        held.append(.event(closed))
    }

    func channelInactive(context: ChannelHandlerContext) {
        held.removeAll()
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        guard held.isEmpty else { return wantsRead = true }
        context.read()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let isEnd = if case .end = unwrapOutboundIn(data) { true } else { false }
        context.write(data, promise: promise)
        guard isEnd else { return }
        isAnswered = true
        if !held.isEmpty { takeTurn(context) }
    }

    private func isNext(_ part: HTTPRequestPart) -> Bool { if case .head = part { isAnswered } else { true } }

    private func handOn(_ part: HTTPRequestPart, _ context: ChannelHandlerContext) {
        if case .head = part { isAnswered = false }
        context.fireChannelRead(wrapInboundOut(part))
    }

    /// Passes on the next request after a pause in which the event loop serves other connections.
    private func takeTurn(_ context: ChannelHandlerContext) {
        guard !isWaiting else { return }
        isWaiting = true
        let pause = min(Self.pauses.least + lateness + lateness, Self.pauses.most)
        let due = context.eventLoop.now + pause
        let bound = NIOLoopBound((turns: self, context: context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(deadline: due) {
            let (turns, context) = bound.value
            turns.isWaiting = false
            turns.lateness = max(.zero, context.eventLoop.now - due)
            turns.handOnNext(context)
        }
    }

    private func handOnNext(_ context: ChannelHandlerContext) {
        while let first = held.first {
            if case .part(let part) = first, !isNext(part) { break }
            held.removeFirst()
            switch first {
            case .part(let part): handOn(part, context)
            case .error(let error): context.fireErrorCaught(error)
            case .event(let event): context.fireUserInboundEventTriggered(event)
            }
        }
        context.fireChannelReadComplete()
        guard held.isEmpty, wantsRead else { return }
        wantsRead = false
        context.read()
    }
}
