// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// Answers unreadable requests in the form of every other refusal; the framework answers them 400 without a body, and
/// 431 for header fields that are too large (RFC 6585, 5). Nothing follows the last answer of a connection.
///
/// Input that begins with an unknown method may be anything, and is not read further: it is answered 400 as well (RFC
/// 9112, 3), because a 501 would count among the server's own errors.
final class ParserRefusals: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPRequestPart
    typealias InboundOut = HTTPRequestPart
    typealias OutboundIn = HTTPResponsePart
    typealias OutboundOut = HTTPResponsePart

    private let makeIdentifier: @Sendable () -> UUID
    private let isSecure: Bool
    private let told: @Sendable (_ id: String, _ status: Int, _ code: String) -> Void
    private var failure: HTTPParserError?
    /// Whether the current answer is declared the last one, and whether it has ended.
    private var isLast = false
    private var isOver = false

    /// - Parameter told: Receives each refusal before it is sent, with the request's name in the answer.
    init(
        isSecure: Bool, makeIdentifier: @escaping @Sendable () -> UUID,
        told: @escaping @Sendable (_ id: String, _ status: Int, _ code: String) -> Void
    ) {
        self.isSecure = isSecure
        self.makeIdentifier = makeIdentifier
        self.told = told
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        failure = failure ?? error as? HTTPParserError
        context.fireErrorCaught(error)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        // Input after the last request, such as the rest of an unread body, gets no answer.
        guard !isOver else {
            promise?.succeed()
            return
        }
        switch unwrapOutboundIn(data) {
        case .head(let head):
            isLast = head.headerFields[.connection] == "close"
            guard let failure, head.status == .badRequest, isLast, head.headerFields[.contentLength] == "0"
            else { break }
            return refuse(failure, head, context, promise)
        case .end: isOver = isLast
        case .body: break
        }
        context.write(data, promise: promise)
    }

    private func refuse(
        _ failure: HTTPParserError, _ head: HTTPResponse, _ context: ChannelHandlerContext,
        _ promise: EventLoopPromise<Void>?
    ) {
        let refusal = Refusal(failure)
        let body = ByteBuffer(bytes: (try? CanonicalJSON.bytes(refusal)) ?? [])
        var head = head
        head.status = .init(code: refusal.code)
        head.headerFields[.contentType] = "application/json; charset=utf-8"
        head.headerFields[.contentLength] = "\(body.readableBytes)"
        head.headerFields[.errorCode] = refusal.error_code
        let id = RequestIdentifier.of([:], fresh: makeIdentifier)
        told(id, refusal.code, refusal.error_code)
        head.headerFields[.requestIdentifier] = id
        head.headerFields[.cacheControl] = "no-store"
        for field in SafetyFields.fields(isSecure: isSecure) { head.headerFields.append(field) }
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(body)), promise: promise)
    }

    static let unreadable = FarewellError(
        "auth.bad_request", .yoursToFix, "The request cannot be read as HTTP")

    private struct Refusal: Encodable {
        let code: Int
        let error_code: String
        let msg: String

        init(_ failure: HTTPParserError) {
            switch failure {
            case .headerOverflow:
                (code, error_code) = (431, "request_header_fields_too_large")
                msg = "Request header fields exceed the maximum size"
            case .invalidMethod:
                (code, error_code) = (400, "bad_request")
                msg = "The request does not begin with a known method"
            default:
                (code, error_code) = (400, "bad_request")
                msg = ParserRefusals.unreadable.message
            }
        }
    }
}
