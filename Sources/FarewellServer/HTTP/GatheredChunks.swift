// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTPTypes

/// Joins the chunks of a body that came with one read from the connection.
///
/// A body may come in chunks of one byte (RFC 9112, 7.1), more than a thousand with each read. Handed on one by one,
/// each takes a turn of the task that reads the body, and a few dozen connections keep the event loops from all others.
final class GatheredChunks: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    private var gathered: ByteBuffer?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .body(var chunk) = unwrapInboundIn(data) else {
            handOn(context)
            return context.fireChannelRead(data)
        }
        if gathered == nil { gathered = chunk } else { gathered?.writeBuffer(&chunk) }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        handOn(context)
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        handOn(context)
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        handOn(context)
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        handOn(context)
        context.fireChannelInactive()
    }

    private func handOn(_ context: ChannelHandlerContext) {
        guard let bytes = gathered else { return }
        gathered = nil
        context.fireChannelRead(wrapInboundOut(.body(bytes)))
    }
}
