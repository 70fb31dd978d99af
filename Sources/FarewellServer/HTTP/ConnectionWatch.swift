// SPDX-License-Identifier: Apache-2.0

import Farewell
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// Counts the changes of a channel's writability, and knows whether its peer is still there.
final class ConnectionWatch: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    let presence = CallerPresence()
    private let turns: Guarded<Int>

    init(turns: Guarded<Int>) { self.turns = turns }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        turns.withLock { $0 += 1 }
        context.fireChannelWritabilityChanged()
    }

    /// A process that has ended has closed its side; whether it would still read is only known by writing to it.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { presence.end() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        presence.end()
        context.fireChannelInactive()
    }
}
