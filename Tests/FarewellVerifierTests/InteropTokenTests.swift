// SPDX-License-Identifier: Apache-2.0

import Farewell
import Foundation
import Subprocess
import Testing

@testable import FarewellVerifier

/// Tokens that PyJWT and joserfc make, and key sets as they write them.
@Suite("Tokens made by other libraries")
struct InteropTokenTests {
    /// The output of a program of `Interop`, which is JSON.
    private func made(by script: String) async throws -> JSONValue {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let result = try await Subprocess.run(
            .name("python3"), arguments: [root.appending(path: "Interop/\(script)").path], output: .bytes(limit: 1 << 24),
            error: .string(limit: 1 << 16))
        try #require(result.terminationStatus.isSuccess, "Use `make test`, which installs the libraries. \(result.standardError)")
        return try StrictJSON.value(Array(result.standardOutput))
    }

    private func issuer(_ name: String, _ keys: IssuerKeys) throws -> TrustedIssuer {
        switch name {
        case "farewell": try .farewell("https://auth.example.org/auth/v1", keys: keys)
        case "supabase": try .supabase("https://kestrel.supabase.co", keys: keys)
        case "cognito": try .cognito(pool: "eu-west-1_Kestrel42", clients: ["Kestrel"], keys: keys)
        case "firebase": try .firebase(project: "kestrel", keys: keys)
        default: try .openID("https://id.example.org", keys: keys, audiences: ["api"])
        }
    }

    private func keys(_ entry: JSONValue) throws -> IssuerKeys {
        if let secret = entry["secret"]?.string { return try .secret(secret) }
        let algorithm = try #require(entry["algorithm"]?.string.flatMap(SignatureAlgorithm.init(named:)))
        return try .fixed(CanonicalJSON.data(entry["keys"]), for: [algorithm])
    }

    @Test("SV-6 tokens made by PyJWT and joserfc for all five issuers are accepted or refused correctly")
    func libraries() async throws {
        let made = try await made(by: "tokens.py")
        let now = Date(timeIntervalSince1970: TimeInterval(try #require(made["now"]?.integer)))
        let entries = try #require(made["cases"]?.array)
        var accepted: Set<String> = []
        for entry in entries {
            let name = try #require(entry["issuer"]?.string)
            let description = ["issuer", "algorithm", "library", "name"].compactMap { entry[$0]?.string }.joined(separator: ", ")
            let verifier = try TokenVerifier(
                trusting: [issuer(name, keys(entry))], fetching: NoNetwork(), environment: ManualTime(at: now).environment)
            let token = try #require(entry["token"]?.string)
            if entry["accepted"] == true {
                await #expect(throws: Never.self, "\(description)") { try await verifier.verify(token) }
                accepted.insert("\(name) \(entry["library"]?.string ?? "")")
            } else {
                await #expect(throws: TokenRefusal.self, "\(description)") { try await verifier.verify(token) }
            }
        }
        #expect(entries.count > 250 && accepted.count == 10)
    }

    @Test("Items 1, 2: of 600 signatures at the edges of ES256, EdDSA and HS256, exactly those that OpenSSL verifies are accepted")
    func signatures() async throws {
        let made = try await made(by: "signature_vectors.py")
        let now = Date(timeIntervalSince1970: TimeInterval(try #require(made["now"]?.integer)))
        let entries = try #require(made["cases"]?.array)
        var accepted: [String] = []
        for entry in entries {
            let description = ["algorithm", "name"].compactMap { entry[$0]?.string }.joined(separator: ", ")
            // A key that is none cannot even be configured.
            let found = try? keys(entry)
            let verifier = try found.map { keys in
                try TokenVerifier(
                    trusting: [issuer("farewell", keys)], fetching: NoNetwork(), environment: ManualTime(at: now).environment)
            }
            let token = try #require(entry["token"]?.string)
            let isAccepted = (try? await verifier?.verify(token)) != nil
            #expect(isAccepted == (entry["accepted"] == true), "\(description)")
            if isAccepted { accepted.append(description) }
        }
        #expect(entries.count > 600)
        #expect(accepted == ["ES256, good", "ES256, the twin", "EdDSA, good", "HS256, good"])
    }
}
