// SPDX-License-Identifier: Apache-2.0

import Farewell
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTPTypesHTTP1

/// A connection that ends when its peer stops reading, and after the request that its caller declares the last.
struct WatchedConnection<Base: ServerChildChannel>: ServerChildChannel {
    /// The connection, and how often it became writable or unwritable.
    struct Value: ServerChildChannelValue {
        let base: Base.Value
        let turns: Guarded<Int>

        var channel: any Channel { base.channel }
    }

    let base: Base
    let readers: StalledReaders

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let turns = Guarded(0)
        return channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(ConnectionWatch(turns: turns))
            let most = RequestTurns.longestRead
            try channel.syncOptions?.setOption(
                .recvAllocator,
                value: AdaptiveRecvByteBufferAllocator(minimum: 1 << 10, initial: 2 << 10, maximum: most))
            try channel.syncOptions?.setOption(.maxMessagesPerRead, value: 1)
        }.flatMap { base.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
            try pipeline.addHandler(RequestHeads(), position: .before(codec))
            return Value(base: value, turns: turns)
        }
    }

    func handle(value: Value, logger: Logger) async {
        let number = readers.enter(value.channel, turns: value.turns)
        await base.handle(value: value.base, logger: logger)
        readers.leave(number)
    }
}
