// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation

/// A workload whose token of another identity provider is worth one of Google's ("Workload Identity Federation",
/// https://cloud.google.com/iam/docs/workload-identity-federation; https://google.aip.dev/auth/4117).
struct GoogleWorkload: Sendable {
    let audience: String
    let kind: String
    let tokenAddress: String
    let source: Source
    /// The credentials of a client that identifies itself in a header.
    let client: (id: String, secret: String)?
    /// The project that pays for the exchange; only for a workforce.
    let userProject: String?

    /// The place of the other provider's token.
    enum Source: Sendable {
        case file(String, Form)
        case address(String, headers: [(name: String, value: String)], Form)
        /// The token is a request that a key of AWS signs.
        case aws(GoogleAWSSource)
    }

    /// The form of the token: alone, or as a member of an object.
    enum Form: Sendable, Hashable {
        case text
        case member(String)
    }

    /// - Throws: `ConnectorFault.credentials`, also for sources that are not read here: a certificate, which needs a
    ///   connection that proves it, and a program.
    init(_ file: JSONValue, system: String) throws {
        func needs(_ what: String) -> ConnectorFault { .credentials(system, needs: what) }
        guard let audience = file["audience"]?.string, let kind = file["subject_token_type"]?.string,
            let source = file["credential_source"]
        else { throw needs("audience, subject_token_type and credential_source of a workload identity") }
        let known = "a workload identity whose token is in a file, at an address or signed by a key of AWS"
        for (member, what, way) in [
            ("executable", "a program's", "let the program write the token into a file and name that file (`file`)"),
            ("certificate", "that of a certificate", "use another provider of the pool: OIDC, SAML or AWS"),
        ] where source[member] != nil {
            var fault = needs("\(known); \(what) is not supported")
            fault.error = FarewellError(
                fault.error.code, fault.error.family, fault.error.message,
                remedy: "In credential_source, \(way); or give Farewell the key of a service account. Then release the "
                    + "erasure.")
            throw fault
        }
        switch (source["file"]?.string, source["url"]?.string) {
        case _ where kind == GoogleAWSSource.kind: self.source = .aws(try GoogleAWSSource(source, system: system))
        case _ where source["environment_id"] != nil:
            throw needs("subject_token_type \(GoogleAWSSource.kind) beside environment_id")
        case (let path?, nil): self.source = .file(path, try Self.form(source, system))
        case (nil, let address?):
            let headers = (source["headers"]?.object ?? [:]).sorted { $0.key < $1.key }
            self.source = .address(
                address, headers: headers.compactMap { name, value in value.string.map { (name, $0) } },
                try Self.form(source, system))
        default: throw needs(known)
        }
        self.audience = audience
        self.kind = kind
        tokenAddress = file["token_url"]?.string ?? "https://sts.googleapis.com/v1/token"
        client = file["client_id"]?.string.map { ($0, file["client_secret"]?.string ?? "") }
        userProject = file["workforce_pool_user_project"]?.string
    }

    private static func form(_ source: JSONValue, _ system: String) throws -> Form {
        switch source["format"]?["type"]?.string ?? "text" {
        case "text": return .text
        case "json":
            guard let member = source["format"]?["subject_token_field_name"]?.string else {
                throw ConnectorFault.credentials(system, needs: "subject_token_field_name of a token in JSON")
            }
            return .member(member)
        default: throw ConnectorFault.credentials(system, needs: "a workload identity's token as text or json")
        }
    }

    /// The other provider's token in what was read; `nil` if it is none.
    static func token(in bytes: [UInt8], _ form: Form) -> String? {
        let text: String? =
            switch form {
            case .text: String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
            case .member(let name): (try? StrictJSON.value(bytes))?[name]?.string
            }
        return text.flatMap { $0.isEmpty ? nil : $0 }
    }
}
