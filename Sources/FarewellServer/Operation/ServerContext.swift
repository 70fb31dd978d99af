// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// Our own application's knowledge of a request beside the request.
struct ServerContext: RequestContext, RemoteAddressRequestContext {
    var coreContext: CoreRequestContextStorage
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
    }

    var remoteAddress: SocketAddress? { channel.remoteAddress }
}

extension Arrival {
    init(_ context: some RequestContext, _ parameters: Parameters) {
        var named: [String: String] = [:]
        for (name, value) in parameters { named[String(name)] = String(value) }
        self.parameters = named
        address = (context as? any RemoteAddressRequestContext)?.remoteAddress?.ipAddress
        log = context.logger
        connection = (context as? ServerContext).map { CallerConnection(channel: $0.channel) }
    }
}
