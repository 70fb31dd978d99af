// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellSessions
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// An error as an answer, in the shape the caller reads.
struct ErrorAnswer: Sendable {
    var status: HTTPResponse.Status
    /// The contract's code.
    let code: String
    let message: String
    /// Why a password is too weak: `length`, `characters`, `pwned`.
    var weakness: [String] = []
    /// The remedy or the reason: e.g. how a session ended.
    var hint: String?
    /// Seconds after which to try again.
    var retryAfter: Int?
    /// Whether the call has ended the session that it was about: a spent refresh token was shown.
    var endedSession = false
    /// The kind of the missing proof.
    var challenge: String?

    /// A valid token that is too old for this (RFC 9470, section 3).
    static let staleChallenge =
        #"Bearer error="insufficient_user_authentication", error_description="A recent sign-in is needed""#

    /// The two shapes of the contract: which one, the caller says by `X-Supabase-Api-Version`.
    enum Shape: Sendable, Hashable {
        /// No version, or one before 2024: `{"code":403,"error_code":"…","msg":"…"}`.
        case initial
        /// 2024-01-01 and later: `{"code":"…","message":"…"}`, and the version echoed.
        case dated

        init(_ headers: HTTPFields) {
            // Most callers name none; refusing many costs little.
            guard let version = headers[.apiVersion] else { self = .initial; return }
            let isDate = version.wholeMatch(of: #/[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])/#) != nil
            self = isDate && version >= "2024-01-01" ? .dated : .initial
        }
    }

    /// Any error that a route threw.
    init(of error: any Error, at place: ErrorStatus.Place = .caller) {
        switch error {
        case let error as FarewellError: self.init(error, at: place)
        case let error as ErrorWithStatus: self.init(error.error, status: error.status)
        case let error as UnprovenIdentity: self.init(error.error, status: .unauthorized)
        case let error as WeakPassword:
            self.init(error.error)
            weakness = error.reasons
        case let error as TooManyCalls: self.init(tooMany: error.retryAfter)
        case is BrokenBody: self.init(ParserRefusals.unreadable)
        default: self.init(unexpected: ())
        }
    }

    init(_ error: FarewellError, at place: ErrorStatus.Place = .caller) {
        self.init(error, status: ErrorStatus.status(of: error, at: place))
    }

    private init(_ error: FarewellError, status: HTTPResponse.Status) {
        self.status = status
        code = ErrorStatus.code(of: error)
        // Internal errors go to the log; the caller receives a request name to quote.
        let isInside = status.code >= 500 && code == "unexpected_failure" && error.code != Self.heldByRows
        message = isInside ? status.reasonPhrase : error.message
        if status.code < 500 || error.code == Self.heldByRows { hint = error.remedy }
        retryAfter = ErrorStatus.pause(after: code, status)
        if status.code == 429 { retryAfter = Self.accountPause }
        endedSession = code == AuthorityRefusal.refreshTokenAlreadyUsed.rawValue
        if error.code == "erasure.sign-in-stale" { challenge = Self.staleChallenge }
    }

    /// The error about a user whom the app's rows reference by a key: the contract has a message for it, but no code
    /// that distinguishes it from a temporary condition; the hint does.
    static let heldByRows: FarewellError.Code = "auth.unexpected_failure"

    /// Seconds to wait after too many tries with one account's name, which the authority counts.
    private static let accountPause = 30

    /// An unknown error: reported as a defect, without its text.
    init(unexpected: Void) {
        status = .internalServerError
        code = "unexpected_failure"
        message = status.reasonPhrase
    }

    init(tooMany seconds: Int) {
        status = .tooManyRequests
        code = "over_request_rate_limit"
        message = "Request rate limit reached"
        retryAfter = seconds
    }

    func response(_ shape: Shape, requestID: String) -> Response {
        var headers: HTTPFields = [.errorCode: code, .cacheControl: "no-store"]
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
        if endedSession { headers[.refreshRotated] = "true" }
        if let challenge { headers[.wwwAuthenticate] = challenge }
        let weak = weakness.isEmpty ? nil : Weakness(reasons: weakness)
        if let kind = OAuthRefusal(code) {
            headers[.errorCode] = nil
            return .json(kind.body(message), status: .badRequest, headers: headers)
        }
        switch shape {
        case .dated:
            headers[.apiVersion] = "2024-01-01"
            return .json(
                Dated(code: code, message: message, hint: hint, weak_password: weak), status: status, headers: headers)
        case .initial:
            let id = status.code >= 500 ? requestID : nil
            return .json(
                Initial(
                    code: status.code, error_code: code, msg: message, error_id: id, hint: hint, weak_password: weak),
                status: status, headers: headers)
        }
    }

    /// The third shape: of identity tokens, always 400 (contract, 1.2).
    private enum OAuthRefusal: String {
        case badToken = "oauth.invalid_request"
        case badNonce = "oauth.invalid_nonce"

        init?(_ code: String) { self.init(rawValue: code) }

        func body(_ message: String) -> [String: String] {
            ["error": self == .badNonce ? "invalid nonce" : "invalid request", "error_description": message]
        }
    }

    private struct Weakness: Encodable { let reasons: [String] }

    private struct Dated: Encodable {
        let code: String
        let message: String
        let hint: String?
        let weak_password: Weakness?
    }

    private struct Initial: Encodable {
        let code: Int
        let error_code: String
        let msg: String
        let error_id: String?
        let hint: String?
        let weak_password: Weakness?
    }
}

extension Response {
    /// A value as JSON.
    static func json(
        _ value: some Encodable, status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]
    ) -> Response {
        guard let bytes = try? CanonicalJSON.bytes(value) else { return Response(status: .internalServerError) }
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    /// Text that is JSON already.
    static func json(text: String, headers: HTTPFields = [:]) -> Response {
        var headers = headers
        headers[.contentType] = "application/json; charset=utf-8"
        return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
}
