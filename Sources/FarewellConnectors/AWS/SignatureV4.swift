// SPDX-License-Identifier: Apache-2.0

import Crypto
import Farewell
import Foundation

/// Signs calls as AWS requires (Signature Version 4, "Create a signed AWS API request").
package struct SignatureV4: Sendable {
    package let region: String
    package let service: String

    package init(region: String, service: String) {
        self.region = region
        self.service = service
    }

    /// Adds the headers of the signature.
    ///
    /// - Parameter now: Seconds since 1970.
    package func sign(_ call: inout SystemCall, with credentials: AWSCredentials, at now: Double) {
        let time = Self.time(now)
        call.headers.append(("x-amz-date", time))
        if let token = credentials.sessionToken { call.headers.append(("x-amz-security-token", token)) }
        let bodyHash = SHA256.hash(data: call.body).hexadecimal
        if service == "s3" { call.headers.append(("x-amz-content-sha256", bodyHash)) }
        let scope = "\(time.prefix(8))/\(region)/\(service)/aws4_request"
        let (canonical, signed) = canonical(call, bodyHash)
        let text = "AWS4-HMAC-SHA256\n\(time)\n\(scope)\n\(SHA256.hash(data: Data(canonical.utf8)).hexadecimal)"
        let signature = Self.code(text, under: key(credentials.secretAccessKey, "\(time.prefix(8))")).hexadecimal
        call.headers.append(
            (
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKeyID)/\(scope), SignedHeaders=\(signed), "
                    + "Signature=\(signature)"
            ))
    }

    private func canonical(_ call: SystemCall, _ bodyHash: String) -> (text: String, signedHeaders: String) {
        // S3 takes the path as it is sent; all others encode it once more.
        let path = service == "s3" ? call.encodedPath : PercentEncoding.path(call.encodedPath)
        let query = call.query.map { (PercentEncoding.text($0.name), PercentEncoding.text($0.value)) }
            .sorted { $0 < $1 }.map { "\($0.0)=\($0.1)" }.joined(separator: "&")
        var headers = Dictionary(grouping: call.headers) { $0.name.lowercased() }
            .mapValues { $0.map { Self.trimmed($0.value) }.joined(separator: ",") }
        headers["host"] = call.address.host
        let names = headers.keys.sorted()
        let lines = names.map { "\($0):\(headers[$0] ?? "")\n" }.joined()
        let signed = names.joined(separator: ";")
        return ("\(call.method)\n\(path)\n\(query)\n\(lines)\n\(signed)\n\(bodyHash)", signed)
    }

    /// Without white space at the ends, and with one space instead of several.
    private static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }

    private func key(_ secret: String, _ day: String) -> SymmetricKey {
        [day, region, service, "aws4_request"].reduce(SymmetricKey(data: Data("AWS4\(secret)".utf8))) { key, part in
            SymmetricKey(data: Self.code(part, under: key))
        }
    }

    private static func code(_ text: String, under key: SymmetricKey) -> Data {
        Data(HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key))
    }

    /// `20260102T030405Z`.
    private static func time(_ now: Double) -> String {
        let text = Date(timeIntervalSince1970: now.rounded(.down)).formatted(.iso8601)
        return text.filter { $0 != "-" && $0 != ":" }
    }
}
