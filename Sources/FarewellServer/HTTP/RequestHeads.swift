// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import NIOCore
import NIOHTTP1

/// Tells the application in the words of HTTP/1.1 what the head of a request means.
///
/// `Connection: close` ends the connection with the next answer, in any spelling and beside other options; HTTP/1.0
/// implies it by default (RFC 9112, 9.3). Input after a request for another protocol is not read, so that request is
/// the last as well. HTTP/1.0 need not name a host (RFC 9112, 3.2), which an empty name expresses, and cannot wait for
/// `100 Continue` (RFC 9110, 10.1.1). An absolute target names the host of the request, whatever `Host` contains (RFC
/// 9112, 3.2.2).
///
/// A body has one length: by `Content-Length`, or in chunks with exactly one `Transfer-Encoding: chunked`. With any
/// other combination a proxy in front might see another end, so it is refused, and the connection ends (RFC 9112, 6.1
/// and 6.3).
///
/// A target with a long run of combining marks (`StreamSafeText`) is invalid (RFC 3986, 2): it is refused before a
/// route is looked up, and the connection ends.
final class RequestHeads: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private var isRefused = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isRefused else { return }
        guard case .head(var head) = unwrapInboundIn(data) else { return context.fireChannelRead(data) }
        guard head.uri.isStreamSafe else {
            isRefused = true
            return context.fireErrorCaught(HTTPParserError.invalidURL)
        }
        guard Self.hasOneLength(head) else {
            isRefused = true
            return context.fireErrorCaught(HTTPParserError.unexpectedContentLength)
        }
        let isLast = !head.isKeepAlive || head.method == .CONNECT || head.headers.contains(name: "upgrade")
        let named = Self.host(inTarget: head.uri)
        guard isLast || named != nil || head.version == .http1_0 else { return context.fireChannelRead(data) }
        if isLast { head.headers.replaceOrAdd(name: "connection", value: "close") }
        // A request that names no host, or several, is refused for that.
        if let named, head.headers[canonicalForm: "host"].count == 1 {
            head.headers.replaceOrAdd(name: "host", value: named)
        }
        if head.version == .http1_0 {
            if !head.headers.contains(name: "host") { head.headers.add(name: "host", value: "") }
            head.headers.remove(name: "expect")
        }
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }

    /// Whether the head gives the body's length in at most one way.
    private static func hasOneLength(_ head: HTTPRequestHead) -> Bool {
        let encodings = head.headers["transfer-encoding"]
        let lengths = head.headers["content-length"]
        guard !encodings.isEmpty else { return lengths.count <= 1 }
        // Several values in one field count like several fields.
        let all = head.headers[canonicalForm: "transfer-encoding"]
        return encodings.count == 1 && all.count == 1 && all[0].isWord("chunked") && lengths.isEmpty
            && head.version == .http1_1
    }

    /// The host and port of a target that is a whole address; nil for a path.
    private static func host(inTarget target: String) -> String? {
        guard target.utf8.first != UInt8(ascii: "/"), let start = target.range(of: "://") else { return nil }
        return String(target[start.upperBound...].prefix { !"/?#".contains($0) })
    }
}
