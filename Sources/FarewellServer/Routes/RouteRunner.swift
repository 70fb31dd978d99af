// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// The work before and after every route: limits, a name, a deadline, errors in the caller's format, metrics, and one
/// line in the log.
struct RouteRunner: Sendable {
    let limits: ServerLimits
    /// The names by which the server is called.
    let hosts: AcceptedHosts
    let crossOrigin: CrossOrigin
    /// The page of a refusal; nil for a caller who needs JSON.
    let refusalPage: @Sendable (ErrorAnswer, Request) -> Response?
    let isSecure: Bool
    let clientAddressField: HTTPField.Name?
    let proxyNotice: ProxyNotice
    let callsPerAddress: RateLimit
    let metrics: ServerMetrics
    let tracing: CallTracing
    let timeouts: CallTimeouts
    let world: ServerWorld
    private let described = DescribedRefusals()

    /// Answers one request with the route it belongs to.
    func answer(_ request: Request, _ route: Route, _ arrival: Arrival) async -> Response {
        guard request.isStreamSafe else { return answerNone(request, .text, arrival) }
        guard route.hosts == .any || accepts(request) else { return answerNone(request, .misdirected, arrival) }
        guard isWithinLimit(request.headers) else { return answerNone(request, .fields, arrival) }
        guard request.hasPlainPath else { return answerNone(request, .path, arrival) }
        let begin = world.elapsed()
        metrics.began()
        let id = RequestIdentifier.of(request.headers, fresh: world.makeIdentifier)
        var log = Self.named(id, arrival.log)
        let call = tracing.begin(request, route)
        if let trace = call.context?.trace {
            log[metadataKey: "trace"] = .string(trace.trace)
            if call.span != nil { log[metadataKey: "span"] = .string(trace.span) }
        }
        let named = log
        var response = await call.run { await decided(request, route, arrival, id: id, log: named) }
        compare(response, with: route, log)
        finish(&response, request, id, isPage: route.page != nil)
        call.end(response.status, request: id)
        told(route.method.rawValue, route.path, response.status, since: begin, log)
        return response
    }

    /// Logs a refusal that the route's description lacks. The caller can cause it, so that it is no alarm.
    private func compare(_ response: Response, with route: Route, _ log: Logger) {
        guard response.status.code >= 400, !route.operation.answers.isEmpty, route.page == nil,
            let code = response.headers[.errorCode], !described.contain(response.status.code, code, of: route)
        else { return }
        log.notice(
            "the description of the route lacks this refusal",
            metadata: [
                "route": .string(route.path), "status": .string(String(response.status.code)), "code": .string(code),
            ])
    }

    private func accepts(_ request: Request) -> Bool { hosts.accept(request) }

    /// Whether the header fields are no longer than the limit. The parser refuses only much longer ones, because it
    /// knows neither path nor `Accept` when it does.
    private func isWithinLimit(_ fields: HTTPFields) -> Bool {
        var left = limits.headerBytes
        for field in fields { left -= field.name.rawName.utf8.count + field.value.utf8.count }
        return left >= 0
    }

    private static func named(_ id: String, _ log: Logger) -> Logger {
        var log = log
        // The application numbers requests too; one name is enough.
        log[metadataKey: "hb.request.id"] = nil
        log[metadataKey: "request"] = .string(id)
        return log
    }

    /// Counts an answer, and writes a line of it.
    private func told(
        _ method: String, _ route: String, _ status: HTTPResponse.Status, since begin: Duration, _ log: Logger
    ) {
        let took = world.elapsed() - begin
        metrics.ended(method, route, status, took: took)
        log.info(
            "answered",
            metadata: [
                "method": .string(method), "route": .string(route), "status": .string(String(status.code)),
                "ms": .string(String(Int(took / .milliseconds(1)))),
            ])
    }

    private func decided(
        _ request: Request, _ route: Route, _ arrival: Arrival, id: String, log: Logger
    ) async -> Response {
        let (limit, connection) = (bodyLimit(route), arrival.connection)
        let body = CallBody { try await Self.collected(request, limit, connection) }
        do {
            let whole = try await responded(request, route, arrival, body, id: id, log: log)
            var response = Self.shortened(whole, to: request)
            if !body.isRead, !request.isSoonRead { arrival.closeAfter(&response) }
            return response
        } catch {
            let shape = ErrorAnswer.Shape(request.headers)
            let refused = refusal(error, log, at: route.place)
            let whole = route.page?(refused, request.headers) ?? refused.response(shape, requestID: id)
            var response = Self.shortened(whole, to: request)
            let isUnread = !body.isRead && !request.isSoonRead
            if response.status == .contentTooLarge || response.status == .gatewayTimeout || error is BrokenBody
                || isUnread
            {
                arrival.closeAfter(&response)
            }
            return response
        }
    }

    /// A body after the head of an answer to HEAD would be read as the next answer (RFC 9110, 9.3.2).
    private static func shortened(_ response: Response, to request: Request) -> Response {
        request.method == .head ? response.createHeadResponse() : response
    }

    /// All readable methods; a method that a path does not have is answered 405.
    static let methods: [HTTPRequest.Method] =
        [.get, .head, .post, .put, .patch, .delete, .options, .trace, .connect]
        + [
            "QUERY", "ACL", "BIND", "CHECKOUT", "COPY", "LINK", "LOCK", "MERGE", "MKACTIVITY", "MKCALENDAR", "MKCOL",
            "MOVE", "MSEARCH", "NOTIFY", "PROPFIND", "PROPPATCH", "PURGE", "REBIND", "REPORT", "SEARCH", "SOURCE",
            "SUBSCRIBE", "UNBIND", "UNLINK", "UNLOCK", "UNSUBSCRIBE",
        ].compactMap { HTTPRequest.Method($0) }

    /// The route name of unmatched requests: their path is not shown, because it may hold anything.
    private static let noRoute = "none"

    /// Answers a preflight, and requests without a route.
    func answerNone(_ request: Request, _ reason: NoRoute, _ arrival: Arrival) -> Response {
        let found = isWithinLimit(request.headers) ? reason : .fields
        let request = request.screened
        let known = request.hasPlainPath || !found.isOfPath ? found : .path
        let reason = known == .host || accepts(request) ? known : .misdirected
        let isOurs = ![.host, .misdirected, .fields].contains(reason)
        let begin = world.elapsed()
        metrics.began()
        let id = RequestIdentifier.of(request.headers, fresh: world.makeIdentifier)
        let log = Self.named(id, arrival.log)
        let isPreflight = request.method == .options && isOurs
        let refused = isPreflight ? nil : refusal(reason.error, log)
        let page = refused.flatMap { refusalPage($0, request) }
        var response =
            page ?? refused?.response(.init(request.headers), requestID: id) ?? crossOrigin.preflight()
        if isPreflight || !reason.allowed.isEmpty {
            response.headers[.allow] = (reason.allowed.map(\.rawValue) + ["OPTIONS"]).joined(separator: ", ")
        }
        finish(&response, request, id, isPage: reason == .misdirected || page != nil)
        let isKnown = Self.methods.contains(request.method)
        told(isKnown ? request.method.rawValue : Self.noRoute, Self.noRoute, response.status, since: begin, log)
        response = Self.shortened(response, to: request)
        if !request.isSoonRead || reason == .fields { arrival.closeAfter(&response) }
        return response
    }

    /// Logs input that could not be read as a request; its connection has answered it already.
    func toldUnreadable(_ id: String, _ status: Int, _ code: String, _ log: Logger) {
        metrics.began()
        let log = Self.named(id, log)
        refusals.record(code, log)
        told(Self.noRoute, Self.noRoute, .init(code: status), since: world.elapsed(), log)
    }

    private func responded(
        _ request: Request, _ route: Route, _ arrival: Arrival, _ body: CallBody, id: String, log: Logger
    ) async throws -> Response {
        let address = client(request, arrival)
        if route.limit == .address, clientAddressField == nil, let address {
            proxyNotice.look(at: request.headers, from: address, log)
        }
        if route.limit == .address, let address,
            case .refused(let seconds) = callsPerAddress.take(CallerNetwork.name(of: address))
        {
            metrics.limited("address")
            throw TooManyCalls(retryAfter: seconds)
        }
        if route.duration == .open {
            return try await route.respond(Self.call(request, arrival, address, id, log, body, nil, limits.jsonDepth))
        }
        guard request.announcedBytes ?? 0 <= bodyLimit(route) else { throw BodyCollection.tooLarge }
        let (readsBodyFirst, respond, depth) = (route.readsBodyFirst, route.respond, limits.jsonDepth)
        return try await timeouts.run { deadline in
            if readsBodyFirst { try await body.bytes() }
            return try await respond(Self.call(request, arrival, address, id, log, body, deadline, depth))
        }
    }

    private func bodyLimit(_ route: Route) -> Int { min(limits.bodyBytes, route.bodyBytes ?? .max) }

    private static func collected(
        _ request: Request, _ limit: Int, _ connection: CallerConnection?
    ) async throws -> ByteBuffer {
        if request.waitsForContinue { connection?.askForBody() }
        do {
            return try await BodyCollection(limit: limit).collected(request.body)
        } catch let error where error is FarewellError || error is CancellationError {
            throw error
        } catch {
            // The sender has gone, or sends no valid body: not a defect of the server.
            throw BrokenBody()
        }
    }

    private static func call(
        _ request: Request, _ arrival: Arrival, _ address: String?, _ id: String, _ log: Logger, _ body: CallBody,
        _ deadline: CallDeadline?, _ jsonDepth: Int
    ) -> RouteCall {
        RouteCall(
            method: request.method, authority: request.head.authority, headers: request.headers,
            query: query(request.uri.query ?? ""), parameters: arrival.parameters,
            body: body, deadline: deadline, address: address, connection: arrival.connection, id: id, log: log,
            jsonDepth: jsonDepth)
    }

    /// The first value of each name, in which a plus sign is a space (the URL standard, 5.1).
    static func query(_ text: String) -> [String: String] {
        var query: [String: String] = [:]
        for pair in text.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = String(parts[0])
            if query[name] == nil { query[name] = parts.count == 2 ? decoded(parts[1]) : "" }
        }
        return query
    }

    /// Malformed encoding stays as written.
    private static func decoded(_ value: Substring) -> String {
        guard value.utf8.contains(where: { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "%") }) else {
            return String(value)
        }
        let spaced = value.replacing("+", with: " ")
        return spaced.removingPercentEncoding ?? String(spaced)
    }

    /// The caller's address: from a trusted proxy, whose last entry the proxy itself wrote, otherwise the connection's.
    /// A port behind it changes with each connection and is removed; text that is no address is ignored.
    private func client(_ request: Request, _ arrival: Arrival) -> String? {
        guard let field = clientAddressField, let value = request.headers[values: field].last else {
            return arrival.address
        }
        let last = value.split(separator: ",").last?.trimmingCharacters(in: .whitespaces)
        return last.flatMap(CallerNetwork.address(written:)) ?? arrival.address
    }

    private func refusal(_ error: any Error, _ log: Logger, at place: ErrorStatus.Place = .caller) -> ErrorAnswer {
        let answer = ErrorAnswer(of: error, at: place)
        refusals.record(error, answer, log)
        return answer
    }

    private var refusals: RefusalLog { RefusalLog(metrics: metrics) }

    private func finish(_ response: inout Response, _ request: Request, _ id: String, isPage: Bool = false) {
        response.headers[.requestIdentifier] = id
        for field in SafetyFields.fields(isSecure: isSecure) where !response.headers.contains(field.name) {
            response.headers.append(field)
        }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
        if request.headers[.connection] == "close" { response.headers[.connection] = "close" }
        // No page of another origin may read pages for users.
        guard !isPage else { return }
        for field in crossOrigin.fields(for: request.headers[.origin]) { response.headers[field.name] = field.value }
    }
}

/// Why a request belongs to no route.
enum NoRoute: Sendable, Hashable {
    /// It names no host, or more than one (RFC 9112, 3.2).
    case host
    /// It holds text that nothing may look at (`StreamSafeText`).
    case text
    /// It is for another host than this server's (RFC 9110, 15.5.20).
    case misdirected
    /// Its header fields are too long (RFC 6585, 5).
    case fields
    /// There is no such path.
    case path
    /// The path has other methods.
    case method(allowed: [HTTPRequest.Method])

    fileprivate var allowed: [HTTPRequest.Method] {
        if case .method(let allowed) = self { allowed } else { [] }
    }

    /// Whether it reveals that such a path exists.
    fileprivate var isOfPath: Bool { if case .method = self { true } else { false } }

    fileprivate var error: FarewellError {
        switch self {
        case .host:
            FarewellError(
                "auth.bad_request", .yoursToFix, "The request names no host, or more than one.",
                remedy: "Send one field Host.")
        case .text:
            FarewellError("auth.bad_request", .yoursToFix, "The request contains \(StreamSafeText.excess).")
        case .misdirected:
            FarewellError(
                "auth.misdirected_request", .yoursToFix, "The request is for a host whose name is not accepted here.",
                remedy: "Call the server by the host of tokens.issuer, or add the name to http.accepted-hosts.")
        case .fields:
            FarewellError(
                "auth.request_header_fields_too_large", .yoursToFix, "Request header fields exceed the maximum size",
                remedy: "Send fewer or shorter fields, such as cookies.")
        case .path: FarewellError("auth.not_found", .yoursToFix, "No such path.")
        case .method:
            FarewellError("auth.method_not_allowed", .yoursToFix, "This path does not have that method.")
        }
    }
}

/// How a request arrived, as far as the mounting application knows.
struct Arrival: Sendable {
    let address: String?
    let parameters: [String: String]
    let log: Logger
    /// The connection; nil if the application does not expose it.
    let connection: CallerConnection?

    /// Says that the connection ends with this answer, and ends it: the rest of the request is not read.
    func closeAfter(_ response: inout Response) {
        guard let connection else { return }
        response.headers[.connection] = "close"
        let whole = response.body
        response.body = ResponseBody(contentLength: whole.contentLength) { writer in
            try await whole.write(writer)
            connection.stopReading()
        }
    }
}

extension Request {
    /// Whether the caller withholds the body until the server asks for it (RFC 9110, 10.1.1). An answer without asking
    /// ends the connection, because the server cannot know whether the body follows.
    fileprivate var waitsForContinue: Bool { headers[.expect]?.isWord("100-continue") == true }

    /// The length of the body that the caller names; nil if it names none.
    fileprivate var announcedBytes: Int? { headers[.contentLength].flatMap { Self.number($0) } }

    /// The same as `Int` reads. Nearly every length is a few digits, for which `Int` takes a microsecond.
    private static func number(_ text: String) -> Int? {
        guard (1...9).contains(text.utf8.count) else { return Int(text) }
        var number = 0
        for byte in text.utf8 {
            guard byte.isASCIIDigit else { return Int(text) }
            number = number * 10 + Int(byte &- UInt8(ascii: "0"))
        }
        return number
    }

    /// Whether the connection skips an unread body; otherwise it ends with the answer.
    fileprivate var isSoonRead: Bool {
        headers[.transferEncoding] == nil && announcedBytes ?? 0 <= 64 << 10 && !waitsForContinue
    }
}

/// The connection ended amid a body, or what came is none.
struct BrokenBody: Error {}

/// Too many calls, of an address or with an account's name.
struct TooManyCalls: Error {
    let retryAfter: Int
}

/// A password that is too easy to guess, and why.
struct WeakPassword: Error {
    let error: FarewellError
    let reasons: [String]
}
