// SPDX-License-Identifier: Apache-2.0

import Farewell

/// Reads the lists that S3 answers with: `ListObjectVersions`, `ListMultipartUploads`, and `ListObjectsV2` of services
/// that list no versions.
///
/// With `encoding-type=url` Amazon writes keys as forms do: a space is `+` and a plus `%2B`, also in `Prefix` and
/// `NextKeyMarker` (botocore undoes it with `unquote_plus`; github.com/brekkylab/backlot/issues/178 shows the bytes).
/// Servers that ignore the parameter do not name an `EncodingType`, and their keys are literal; some write `%20` for a
/// space, and their `+` is a plus. Others encode and name none: if that makes a difference, the list is read again
/// without the parameter.
struct S3Listing: Sendable {
    let entries: [S3Entry]
    /// The beginnings of keys up to the delimiter, if one was sent.
    let folders: [String]
    let next: S3Marker?

    /// The requested list: its kind, bucket and prefix, and the answering server.
    struct Question: Sendable {
        var kind: S3Entry.Kind
        var bucket: String
        var prefix: String
        /// Amazon itself answers, and names the bucket in every list.
        var isAmazon: Bool
        var system: String

        var root: String {
            switch kind {
            case .version: "ListVersionsResult"
            case .object: "ListBucketResult"
            case .upload: "ListMultipartUploadsResult"
            }
        }
    }

    /// - Throws: `ConnectorFault.garbled` for another kind of list; `ConnectorFault.unproved` for one of another
    ///   bucket.
    init(_ root: XMLElement, _ question: Question) throws {
        let system = question.system
        guard root.name == question.root, let isTruncated = root["IsTruncated"]?.text else {
            throw ConnectorFault.garbled(system, "no list of versions, objects or uploads")
        }
        if root["Name"] ?? root["Bucket"] == nil, question.isAmazon || question.kind == .object {
            throw ConnectorFault.garbled(system, "a list without its bucket")
        }
        if let name = (root["Name"] ?? root["Bucket"])?.text, !name.isByteEqual(to: question.bucket) {
            throw ConnectorFault.unproved(system, "the list is of another bucket")
        }
        let decoding = Decoding(root, question.prefix)
        let parts: ([XMLElement], String?) =
            switch question.kind {
            case .version: (root.all(named: "Version") + root.all(named: "DeleteMarker"), "VersionId")
            case .object: (root.all(named: "Contents"), nil)
            case .upload: (root.all(named: "Upload"), "UploadId")
            }
        entries = try parts.0.map { element in
            guard let written = element["Key"]?.text, let id = Self.id(of: element, parts.1),
                let key = decoding.key(written)
            else { throw ConnectorFault.garbled(system, "a list of another place") }
            let tag = element["ETag"]?.text
            var entry = S3Entry(key: key, id: id, kind: question.kind, tag: tag)
            if let tag, let time = element["LastModified"]?.text, let size = element["Size"]?.text {
                // The identifier of an object without versions is always the same.
                entry.mark = "\(id) \(tag) \(time) \(size)"
            }
            return entry
        }
        folders = root.all(named: "CommonPrefixes").compactMap { $0["Prefix"]?.text }.compactMap(decoding.key)
        guard isTruncated == "true" else {
            next = nil
            return
        }
        if question.kind == .object {
            // Folders are listed apart from keys: the later of the two is the last.
            let ends = [entries.last?.key, folders.last].compactMap(\.self)
            guard let last = ends.max(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) else {
                throw ConnectorFault.garbled(system, "a list without its end")
            }
            next = S3Marker(key: last, id: nil)
            return
        }
        guard let key = root["NextKeyMarker"]?.text, let decoded = decoding.text(key) else {
            throw ConnectorFault.garbled(system, "a list without its end")
        }
        let id = root[question.kind == .version ? "NextVersionIdMarker" : "NextUploadIdMarker"]?.text
        next = S3Marker(key: decoded, id: id?.isEmpty == false ? id : nil)
    }

    /// - Parameter name: The element with the identifier; `nil` if entries have none.
    private static func id(of element: XMLElement, _ name: String?) -> String? {
        guard let name else { return "" }
        return element[name]?.text
    }

    /// Whether the list names no encoding, and its keys would mean others if they were encoded.
    static func isUnclear(_ root: XMLElement) -> Bool {
        root["EncodingType"] == nil
            && Decoding.written(in: root).contains { $0.utf8.contains { "+%".utf8.contains($0) } }
    }

    /// How a list's keys are written.
    private struct Decoding {
        let prefix: String
        let isEncoded: Bool
        let plusIsSpace: Bool

        init(_ root: XMLElement, _ prefix: String) {
            self.prefix = prefix
            isEncoded = root["EncodingType"]?.text == "url"
            plusIsSpace = !Self.written(in: root).contains { $0.containsBytes("%20") }
        }

        /// The keys and beginnings of keys of a list, as they are written.
        static func written(in root: XMLElement) -> [String] {
            root.children.flatMap { $0.children.isEmpty ? [$0] : $0.children }
                .filter { ["Key", "Prefix", "NextKeyMarker"].contains($0.name) }.map(\.text)
        }

        /// A key, which must begin with the requested prefix.
        func key(_ written: String) -> String? {
            if let key = text(written), key.hasBytePrefix(prefix) { return key }
            // A server that encodes and does not say so.
            guard !isEncoded, let key = decoded(written), key.hasBytePrefix(prefix) else { return nil }
            return key
        }

        func text(_ written: String) -> String? { isEncoded ? decoded(written) : written }

        private func decoded(_ written: String) -> String? {
            guard let bytes = PercentEncoding.strictBytes(written.utf8, plus: plusIsSpace ? .space : .plus) else {
                return nil
            }
            let text = String(decoding: bytes, as: UTF8.self)
            // Decoding repairs invalid UTF-8, and a repaired key is another one.
            return text.utf8.elementsEqual(bytes) ? text.boundedIdentifier : nil
        }
    }
}

extension S3Listing {
    init(entries: [S3Entry], next: S3Marker?) {
        self.entries = entries
        folders = []
        self.next = next
    }
}
