// SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers 431 (RFC 6585, 5) where a request's header fields were too large, which the framework answers 400.
final class HeaderOverflow: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private var hasOverflown = false

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if case HTTPParserError.headerOverflow = error { hasOverflown = true }
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard hasOverflown, case .head(var head) = unwrapOutboundIn(data), head.status == .badRequest else {
            return context.write(data, promise: promise)
        }
        head.status = .requestHeaderFieldsTooLarge
        context.write(wrapOutboundOut(.head(head)), promise: promise)
    }
}
