// SPDX-License-Identifier: Apache-2.0

import Farewell

extension ResponseTable {
    private static let storageErrors = "https://supabase.com/docs/guides/storage/debugging/error-codes"
    private static let storageCodes =
        "https://github.com/supabase/storage/blob/master/src/internal/errors/codes.ts"

    package static let supabaseStorage = ResponseTable(
        "supabase-storage",
        [
            .init(
                [400, 404], code: "NoSuchBucket", .misconfigured("there is no such bucket, or the key does not see it"),
                storageErrors),
            .init(
                [400, 404], saying: "Bucket not found",
                .misconfigured("there is no such bucket, or the key does not see it"), storageErrors),
            .init([400, 404], code: "NoSuchKey", .absent, storageErrors),
            .init([400, 404], saying: "Object not found", .absent, storageErrors),
            .init([], code: "ResourceLocked", .again, storageErrors),
            .init([], code: "LockTimeout", .again, storageErrors), .init([], code: "SlowDown", .later, storageErrors),
            .init([], code: "DatabaseTimeout", .again, storageErrors),
            .init([], code: "InternalError", .again, storageErrors),
            .init([], code: "TenantNotFound", .misconfigured("there is no such project"), storageErrors),
            .init([], code: "InvalidJWT", .credentials, storageErrors),
            .init([], code: "AccessDenied", .credentials, storageErrors),
            .init([400], saying: "Unauthorized", .credentials, storageErrors),
            .init([], code: "InvalidKey", .refused("it refuses this name for an object ({code})"), storageErrors),
            // Nothing that passes, whatever its status is.
            .init(
                [], code: "ResourceReferenced", .refused("a row of its database still refers to the file ({code})"),
                storageCodes),
            .init(
                [], code: "DatabaseSchemaMismatch",
                .refused("a trigger or policy of its database names what is not there ({code})"), storageCodes),
            .init(
                [], code: "DatabaseInvalidObjectDefinition",
                .refused("a policy of its database cannot be evaluated ({code})"), storageCodes),
            .init(
                [], code: "DatabaseError", saying: "code: P0001",
                .refused("a trigger of its database refuses it ({code})"), storageCodes),
            .init(
                [401, 403], code: "S3Error", .refused("the store behind it refuses its credentials ({code})"),
                storageCodes),
            .init([409], .again, storageErrors),
        ])

    /// `{"statusCode": "404", "error": "not_found", "message": "Object not found"}`, and with `code` in newer versions.
    /// The service answers most errors with 400, also those of its database and store that pass, and writes their
    /// status into the body (github.com/supabase/storage, `src/http/error-handler.ts`).
    static func supabaseStorageWords(_ reply: SystemReply) -> ErrorWords {
        guard let value = try? reply.json(from: "") else { return ErrorWords() }
        let message = [value["message"]?.string, value["error"]?.string].compactMap(\.self).joined(separator: " ")
        var words = ErrorWords(code: value["code"]?.string ?? "", message: message)
        let told = value["statusCode"]
        let status = told?.integer.map { Int(clamping: $0) } ?? told?.string.flatMap { Int($0) }
        if reply.status == 400, let status, (401...599).contains(status) { words.status = status }
        return words
    }
}
