// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Joins the chunks of a body that came with one read from the connection, and refuses a body of very many tiny ones as
/// unreadable: nothing more of its connection is handed on.
///
/// A body may come in chunks of one byte (RFC 9112, 7.1), more than a thousand with each read. Handed on one by one,
/// each takes a turn of the task that reads the body, and a few dozen connections keep the event loops from all others.
final class ChunkAggregator: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart

    /// How many chunks a body may have whatever their size, and how many bytes more of them have on average at least.
    static let (most, leastBytes) = (1_024, 16)

    private var gathered: ByteBuffer?
    private var chunks = 0
    private var bytes = 0
    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard case .body(var chunk) = unwrapInboundIn(data) else {
            handOn(context)
            (chunks, bytes) = (0, 0)
            return context.fireChannelRead(data)
        }
        chunks += 1
        bytes += chunk.readableBytes
        guard chunks <= Self.most || bytes / chunks >= Self.leastBytes else {
            isRefused = true
            gathered = nil
            return context.fireErrorCaught(HTTPParserError.invalidChunkSize)
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
