// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Tells the application in one word that a connection ends with the next answer: `Connection: close` however it is
/// spelled and whatever stands beside it, and what HTTP/1.0 means where it says nothing (RFC 9112, 9.3).
final class LastRequests: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !head.isKeepAlive else {
            return context.fireChannelRead(data)
        }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
