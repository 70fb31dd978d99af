// SPDX-License-Identifier: Apache-2.0

/// A compact JSON Web Token, parsed and not yet verified (RFC 7515, section 7.1; RFC 7519, section 7.2).
///
/// Reading is all syntax: sizes first, then three segments of canonical base64url, then JSON that can be understood
/// in one way only. Extensions that must be understood (`crit`) are refused, because Farewell knows none. Keys and
/// addresses of keys in the header (`jwk`, `jku`, `x5c`, `x5u`) are never looked at: a key comes from the reader.
package struct CompactToken: Sendable {
    package struct Limits: Sendable, Hashable {
        /// The whole text, in bytes.
        package var token: Int
        /// The header, decoded, in bytes.
        package var header: Int
        /// The signature, decoded, in bytes.
        package var signature: Int
        /// The deepest permitted nesting of objects and arrays.
        package var depth: Int

        package init(token: Int = 16 << 10, header: Int = 2 << 10, signature: Int = 1 << 10, depth: Int = 40) {
            self.token = token
            self.header = header
            self.signature = signature
            self.depth = depth
        }
    }

    /// The text is not a token that can be read in exactly one way.
    package struct Malformed: Error, Hashable {}

    package let algorithm: String
    package let keyID: String?
    /// The media type in `typ`, in lower case and without `application/`; a token without one is a `jwt`.
    package let type: String
    /// The claims in the payload, unverified.
    package let unprovenClaims: [String: JSONValue]
    /// The signed bytes: the first two segments as they came.
    package let signedBytes: [UInt8]
    package let signature: [UInt8]

    package init(_ text: String, limits: Limits = Limits()) throws(Malformed) {
        guard text.utf8.count <= limits.token else { throw Malformed() }
        let bytes = Array(text.utf8)
        let segments = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
        guard segments.count == 3, segments[0].count <= limits.header * 4 / 3 + 1,
            segments[2].count <= limits.signature * 4 / 3 + 1,
            let header = Self.object(segments[0], limits), let claims = Self.object(segments[1], limits),
            let signature = Base64URL.bytes(of: segments[2])
        else { throw Malformed() }
        guard header["crit"] == nil,
            let algorithm = Self.word(header["alg"], upTo: 16),
            header["kid"] == nil || Self.word(header["kid"], upTo: 256) != nil,
            let type = header["typ"] == nil ? "jwt" : Self.word(header["typ"], upTo: 64)
        else { throw Malformed() }
        self.algorithm = algorithm
        keyID = Self.word(header["kid"], upTo: 256)
        self.type = Self.mediaType(type)
        unprovenClaims = claims
        signedBytes = Array(bytes[..<segments[1].endIndex])
        self.signature = signature
    }

    private static func object(_ segment: ArraySlice<UInt8>, _ limits: Limits) -> [String: JSONValue]? {
        guard let bytes = Base64URL.bytes(of: segment) else { return nil }
        return (try? StrictJSON.value(bytes, depth: limits.depth))?.object
    }

    private static func word(_ value: JSONValue?, upTo length: Int) -> String? {
        guard let text = value?.string, text.isPlain(upTo: length) else { return nil }
        return text
    }

    private static func mediaType(_ type: String) -> String {
        let type = type.lowercased()
        return type.hasPrefix("application/") ? String(type.dropFirst("application/".count)) : type
    }
}

extension String {
    /// Whether this is a name that can be compared and stored without surprise: from one to `length` printable
    /// characters of ASCII.
    ///
    /// Beyond ASCII two texts of different bytes can be equal (the sign for kelvin and the letter K).
    package func isPlain(upTo length: Int) -> Bool {
        !isEmpty && utf8.count <= length && utf8.allSatisfy { (0x20...0x7e).contains($0) }
    }
}
