// SPDX-License-Identifier: Apache-2.0

import Farewell

extension ResponseTable {
    private static let googleCodes = "https://cloud.google.com/apis/design/errors#handling_errors"
    private static let reasons = "https://github.com/googleapis/googleapis/blob/master/google/api/error_reason.proto"
    private static let quotas = "https://cloud.google.com/storage/docs/json_api/v1/status-codes"
    static let identityErrors = "https://firebase.google.com/docs/reference/rest/auth#section-error-format"
    static let tenantErrors = "https://cloud.google.com/identity-platform/docs/multi-tenancy-managing-tenants"

    /// The plan is right, but Firestore lacks an index.
    static let missingIndex = ResponseLine(
        [], code: "FAILED_PRECONDITION", saying: "index",
        .misconfigured("the query needs an index that is missing or still being built"),
        "https://firebase.google.com/docs/firestore/query-data/indexing")

    /// Lines of every service under googleapis.com, behind the googleCodes of its own table.
    static let googleLines: [ResponseLine] = passingLines + lastingLines

    private static let passingLines: [ResponseLine] = [
        "ABORTED", "UNAVAILABLE", "INTERNAL", "DEADLINE_EXCEEDED", "CANCELLED", "UNKNOWN",
    ].map { ResponseLine([], code: $0, .again, googleCodes) }

    private static let lastingLines: [ResponseLine] = [
        .init([], code: "RESOURCE_EXHAUSTED", .later, googleCodes),
        .init([], code: "rateLimitExceeded", .later, quotas),
        .init([], code: "userRateLimitExceeded", .later, quotas),
        .init([], code: "quotaExceeded", .later, quotas),
        // Reasons of a 403 that no right to the data would change.
        .init([], code: "SERVICE_DISABLED", .misconfigured("its interface is not enabled in the project"), reasons),
        .init([], code: "BILLING_DISABLED", .misconfigured("the project has no valid billing account"), reasons),
        .init(
            [], code: "CONSUMER_INVALID",
            .misconfigured("there is no such project, or the credentials do not see it"), reasons),
        .init([], code: "CONSUMER_SUSPENDED", .misconfigured("the project is suspended"), reasons),
        .init(
            [], code: "USER_PROJECT_DENIED",
            .misconfigured("the credentials may not use the paying project (serviceusage.services.use)"), reasons),
        .init(
            [], code: "ACCESS_TOKEN_SCOPE_INSUFFICIENT",
            .misconfigured("the machine's scopes do not include the service (cloud-platform does)"), reasons),
        .init(
            [], code: "SECURITY_POLICY_VIOLATED",
            .misconfigured("a perimeter of VPC Service Controls forbids the request"), reasons),
        .init([], code: "PERMISSION_DENIED", .credentials, googleCodes),
        .init([], code: "UNAUTHENTICATED", .credentials, googleCodes),
        .init([400], code: "INVALID_ARGUMENT", .refused("{code}"), googleCodes),
        .init([409], .again, googleCodes),
    ]

    /// `{"error": {"code": 400, "status": "FAILED_PRECONDITION", "message": "…"}}`, alone or as the elements of an
    /// array where the answer is a stream; `errors[0].reason` of Cloud Storage; a bare sentence of the Realtime
    /// Database.
    func googleWords(_ reply: SystemReply) -> ErrorWords {
        guard let value = try? reply.json(from: "") else { return ErrorWords() }
        return googleWords(value) ?? ErrorWords()
    }

    /// `nil` if the value is no error.
    func googleWords(_ value: RawJSON) -> ErrorWords? {
        guard let error = value["error"] ?? value.elements?.lazy.compactMap({ $0["error"] }).first else { return nil }
        let message = error["message"]?.string ?? error.string ?? ""
        let reason = error["errors"]?.elements?.first?["reason"]?.string
        let word =
            errorInfo(error) ?? identityWord(message) ?? error["status"]?.string
            ?? reason.flatMap { Self.isReason($0) ? $0 : nil } ?? GoogleCaller.word(message)
        return ErrorWords(
            code: word, message: message, detail: Self.link(in: message) ?? Self.date(in: message),
            pause: Self.pause(error))
    }

    /// `{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3.5s"}` in `details`.
    private static func pause(_ error: RawJSON) -> Double? {
        let told = (error["details"]?.elements ?? []).lazy.compactMap { $0["retryDelay"]?.string }.first
        guard let told, told.hasByteSuffix("s") else { return nil }
        return Double(told.dropLast())
    }

    /// The reason in `details`, where it says more than the status.
    private func errorInfo(_ error: RawJSON) -> String? {
        let infos = (error["details"]?.elements ?? []).filter { $0["domain"]?.string == "googleapis.com" }
        return infos.lazy.compactMap { $0["reason"]?.string }.first { reason in
            lines.contains { $0.source == Self.reasons && $0.code == reason }
        }
    }

    /// Identity Platform names its errors in the message, and may add a status that says less.
    private func identityWord(_ message: String) -> String? {
        let word = GoogleCaller.word(message)
        let sources = [Self.identityErrors, Self.tenantErrors]
        return lines.contains { $0.code == word && sources.contains($0.source) } ? word : nil
    }

    /// The reasons of Cloud Storage are googleCodes; that of the others is `invalid`, and says less than the message.
    private static func isReason(_ reason: String) -> Bool { !["invalid", "badRequest", "global"].contains(reason) }

    /// The link to the console that makes a missing index: it names the project, the collection and fields, but no
    /// user.
    private static func link(in message: String) -> String? {
        let words = message.utf8.split { $0 <= 0x20 }.map { String(decoding: $0, as: UTF8.self) }
        return words.first { word in
            word.utf8.count <= 1_024 && word.utf8.allSatisfy { (0x21...0x7e).contains($0) }
                && ["https://console.firebase.google.com/", "https://console.cloud.google.com/"].contains {
                    word.hasBytePrefix($0)
                }
        }
    }

    /// The day in a sentence, `2026-01-02T…`.
    private static func date(in message: String) -> String? {
        message.firstMatch(of: /[0-9]{4}-[0-9]{2}-[0-9]{2}/).map { String($0.output) }
    }
}
