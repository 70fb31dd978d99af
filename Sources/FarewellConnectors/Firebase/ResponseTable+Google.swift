// SPDX-License-Identifier: Apache-2.0

import Farewell

extension ResponseTable {
    private static let codes = "https://cloud.google.com/apis/design/errors#handling_errors"
    private static let storage = "https://cloud.google.com/storage/docs/json_api/v1/status-codes"
    private static let identity = "https://firebase.google.com/docs/reference/rest/auth#section-error-format"
    private static let tenants = "https://cloud.google.com/identity-platform/docs/multi-tenancy-managing-tenants"
    private static let firestore = "https://firebase.google.com/docs/firestore/query-data/indexing"
    private static let reasons = "https://github.com/googleapis/googleapis/blob/master/google/api/error_reason.proto"
    private static let realtime = "https://firebase.google.com/docs/reference/rest/database#section-error-conditions"

    /// The plan is right, but Firestore lacks an index.
    static let missingIndex = ResponseLine(
        [], code: "FAILED_PRECONDITION", saying: "index",
        .misconfigured("the query needs an index that is missing or still being built"), firestore)

    /// Firestore, Firebase Authentication, Cloud Storage and the Realtime Database.
    package static let google = ResponseTable(
        "firebase-auth, firebase-storage, firestore, realtime-database",
        [
            .init([], code: "ABORTED", .again, codes), .init([], code: "UNAVAILABLE", .again, codes),
            .init([], code: "INTERNAL", .again, codes), .init([], code: "DEADLINE_EXCEEDED", .again, codes),
            .init([], code: "CANCELLED", .again, codes), .init([], code: "UNKNOWN", .again, codes),
            .init([], code: "RESOURCE_EXHAUSTED", .later, codes),
            .init([], code: "QUOTA_EXCEEDED", .later, identity),
            .init([], code: "TOO_MANY_ATTEMPTS_TRY_LATER", .later, identity),
            .init([], code: "rateLimitExceeded", .later, storage),
            .init([], code: "userRateLimitExceeded", .later, storage),
            .init([], code: "quotaExceeded", .later, storage),
            // Reasons of a 403 that no right to the data would change.
            .init(
                [403], code: "accountDisabled",
                .misconfigured("the billing account of the bucket's project is disabled"), storage),
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
            .init([], code: "PERMISSION_DENIED", .credentials, codes),
            .init([], code: "UNAUTHENTICATED", .credentials, codes),
            .init([], code: "INSUFFICIENT_PERMISSION", .credentials, identity),
            .init([], code: "USER_NOT_FOUND", .absent, identity),
            .init([], code: "CONFIGURATION_NOT_FOUND", .misconfigured("there is no such project or tenant"), identity),
            .init([], code: "PROJECT_NOT_FOUND", .misconfigured("there is no such project or tenant"), identity),
            .init([], code: "INVALID_PROJECT_ID", .misconfigured("there is no such project or tenant"), identity),
            .init([], code: "TENANT_NOT_FOUND", .misconfigured("the project has no such tenant"), tenants),
            .init([], code: "INVALID_TENANT_ID", .misconfigured("the project has no such tenant"), tenants),
            .init([], code: "TENANT_ID_MISMATCH", .misconfigured("the project has no such tenant"), tenants),
            .init(
                [], code: "UNSUPPORTED_TENANT_OPERATION",
                .misconfigured("the project does not allow tenants, or not this request in one"), tenants),
            missingIndex,
            .init(
                [], code: "FAILED_PRECONDITION", saying: "Datastore Mode",
                .misconfigured("the database uses Datastore mode, which this kind does not read"), firestore),
            .init(
                [], code: "FAILED_PRECONDITION",
                .misconfigured("its state does not allow the request"), codes),
            .init(
                [400], saying: "requester pays",
                .misconfigured("the requester pays for the bucket, and no project does (GOOGLE_CLOUD_QUOTA_PROJECT)"),
                "https://cloud.google.com/storage/docs/requester-pays"),
            .init(
                [403], code: "objectUnderActiveHold", .kept("a hold keeps it"),
                "https://cloud.google.com/storage/docs/object-holds"),
            .init(
                [403], code: "retentionPolicyNotMet", .kept("a retention keeps it until {detail}"),
                "https://cloud.google.com/storage/docs/bucket-lock"),
            .init(
                [403], code: "objectRetentionPolicyNotMet", .kept("a retention keeps it until {detail}"),
                "https://cloud.google.com/storage/docs/object-lock"),
            // The Realtime Database, at the address of another region.
            .init(
                [404], saying: "different region", .misconfigured("the database is in another region than its address"),
                "https://firebase.google.com/docs/projects/locations#rtdb-locations"),
            .init([404], .misconfigured("there is no such project, database or bucket"), codes),
            .init([409], .again, storage),
            .init([412], .refused("{code}"), storage),
            .init([423], .misconfigured("the database is disabled"), realtime),
            .init([400], code: "INVALID_ARGUMENT", .refused("{code}"), codes),
        ])

    /// `{"error": {"code": 400, "status": "FAILED_PRECONDITION", "message": "…"}}`, alone or as the elements of an
    /// array where the answer is a stream; `errors[0].reason` of Cloud Storage; a bare sentence of the Realtime
    /// Database.
    static func googleWords(_ reply: SystemReply) -> ErrorWords {
        guard let value = try? reply.json(from: "") else { return ErrorWords() }
        return googleWords(value) ?? ErrorWords()
    }

    /// `nil` if the value is no error.
    static func googleWords(_ value: RawJSON) -> ErrorWords? {
        guard let error = value["error"] ?? value.elements?.lazy.compactMap({ $0["error"] }).first else { return nil }
        let message = error["message"]?.string ?? error.string ?? ""
        let reason = error["errors"]?.elements?.first?["reason"]?.string
        let word =
            errorInfo(error) ?? identityWord(message) ?? error["status"]?.string
            ?? reason.flatMap { Self.isReason($0) ? $0 : nil } ?? GoogleCaller.word(message)
        return ErrorWords(
            code: word, message: message, detail: link(in: message) ?? date(in: message), pause: pause(error))
    }

    /// `{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "3.5s"}` in `details`.
    private static func pause(_ error: RawJSON) -> Double? {
        let told = (error["details"]?.elements ?? []).lazy.compactMap { $0["retryDelay"]?.string }.first
        guard let told, told.hasByteSuffix("s") else { return nil }
        return Double(told.dropLast())
    }

    /// The reason in `details`, where it says more than the status.
    private static func errorInfo(_ error: RawJSON) -> String? {
        let infos = (error["details"]?.elements ?? []).filter { $0["domain"]?.string == "googleapis.com" }
        return infos.lazy.compactMap { $0["reason"]?.string }.first { reason in
            google.lines.contains { $0.source == reasons && $0.code == reason }
        }
    }

    /// Identity Platform names its errors in the message, and may add a status that says less.
    private static func identityWord(_ message: String) -> String? {
        let word = GoogleCaller.word(message)
        return google.lines.contains { $0.code == word && [identity, tenants].contains($0.source) } ? word : nil
    }

    /// The reasons of Cloud Storage are codes; that of the others is `invalid`, and says less than the message.
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
