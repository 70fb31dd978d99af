// SPDX-License-Identifier: Apache-2.0

import Farewell
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// Counts the changes of a channel's writability, and notices when its peer has gone.
final class ConnectionWatch: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    let presence = CallerPresence()
    private let turns: Guarded<Int>

    init(turns: Guarded<Int>) { self.turns = turns }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        turns.withLock { $0 += 1 }
        context.fireChannelWritabilityChanged()
    }

    /// A closed input means that the peer has gone: an ended process closes its side, and only a write would show
    /// whether the peer still reads.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event as? ChannelEvent == .inputClosed { presence.end() }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        presence.end()
        context.fireChannelInactive()
    }
}
