// SPDX-License-Identifier: Apache-2.0

import Farewell

/// The files of a bucket of Supabase Storage, folder by folder, from its list.
///
/// The list folds case (`storage.search` compares `lower(name)`), and older versions take `_` and `%` for wildcards
/// (`ILIKE`), so a folder's list may hold a neighbour's files. Deleting names whole paths, and the service compares
/// those exactly; a call about the file itself shows whether a listed file is at that path.
struct SupabaseFolders: Sendable {
    let rest: RESTCaller
    let bucket: String
    /// Files at another place than listed: deleting that path deleted nothing, while it deleted others. Only used for
    /// services that do not report single files.
    private let strangers = Guarded<Set<ExactText>>([])
    private static let page = 1_000
    /// Bytes of a list that are read at most: an entry has a name of up to 1,024 bytes, and what users write about a
    /// file.
    private static let longest = 16 << 20
    private static let list = "service_role: storage objects list"

    init(rest: RESTCaller, bucket: String) {
        self.rest = rest
        self.bucket = bucket
    }

    struct File: Sendable, Hashable {
        let path: String
        let id: String
        /// Its contents, as the list describes them.
        var mark: RangedReading.Mark?

        var label: ExactText { ExactText("\(id) \(path)") }

        static func == (one: File, other: File) -> Bool { one.label == other.label }

        func hash(into hasher: inout Hasher) { hasher.combine(label) }
    }

    struct Found: Sendable {
        var files: [File] = []
        /// Folders without a name in which nothing can be listed.
        var nameless = 0
        /// Folders that lie too deep to be read, or whose list is refused.
        var closed = 0

        /// Folders whose contents stay.
        var unread: Int { nameless + closed }
    }

    /// More than a name of the service can have: each level takes two bytes of 1,024.
    private static let depth = 520

    /// A bucket that keeps versions, or kept them once, keeps the contents of a file that is deleted by name.
    ///
    /// - Throws: `ConnectorFault` where the bucket is not there, where the key does not see it, and where it keeps
    ///   versions.
    func requireBucket() async throws {
        let found = try await rest.ask(
            "GET", "/bucket/\(try rest.part(bucket))", permission: "service_role: storage buckets read"
        ).json(from: rest.system)
        guard (found["id"] ?? found["name"])?.string?.isByteEqual(to: bucket) == true else {
            throw ConnectorFault.unproved(rest.system, "it does not describe the bucket")
        }
        guard let status = found["versioning_status"]?.string, status != Self.unversioned else { return }
        throw ConnectorFault.refused(
            rest.system,
            "the bucket keeps earlier versions of its files (\(Shown.line(status, limit: 40))), and deleting a file "
                + "leaves them",
            remedy: "Copy its files into a bucket without versioning, delete this bucket with all versions, name the "
                + "other bucket in the plan, then release the erasure.")
    }

    /// The status of a bucket that never kept versions; older versions of the service report none.
    private static let unversioned = "DISABLED"

    // MARK: Listing

    /// Every file below a folder. An entry without an identifier is a folder of its own.
    func files(below folder: String) async throws -> Found {
        var found = Found()
        try await collect(folder, into: &found, depth: 0)
        return found
    }

    /// Some names of folders in a folder, of any users: its first ones, or its last ones.
    func sample(of folder: String, fromEnd: Bool) async throws -> NameSample {
        let most = 100
        let entries: [Entry]
        do {
            entries = try await page(of: folder, beginning: nil, offset: 0, limit: most, isDescending: fromEnd)
        } catch let fault as ConnectorFault where fault.isTooLong {
            entries = try await page(of: folder, beginning: nil, offset: 0, limit: 1, isDescending: fromEnd)
        }
        // The dashboard makes a folder by a file of this name.
        let files = entries.filter { $0.id != nil && $0.name != ".emptyFolderPlaceholder" }
        let folders = entries.filter { $0.id == nil && !$0.name.isEmpty }
        return NameSample(
            names: folders.map(\.name), hasOthers: !files.isEmpty, isWhole: entries.count < most,
            isThere: entries.count > folders.count + files.count)
    }

    private func collect(_ folder: String, into found: inout Found, depth: Int) async throws {
        guard depth < Self.depth else {
            found.closed += 1
            return
        }
        let entries = try await entries(of: folder)
        for entry in entries {
            if let id = entry.id { found.files.append(File(path: "\(folder)/\(entry.name)", id: id, mark: entry.mark)) }
        }
        for entry in entries where entry.id == nil {
            guard entry.name.isEmpty else {
                do {
                    try await collect("\(folder)/\(entry.name)", into: &found, depth: depth + 1)
                } catch let fault as ConnectorFault where fault.isRefusal {
                    found.closed += 1
                }
                continue
            }
            // A path with two slashes in a row. Some versions list it with both written; others strip them and answer
            // with the folder itself again.
            let inside = try await self.entries(of: folder + "/")
            if inside == entries {
                found.nameless += 1
            } else {
                try await collect(folder + "/", into: &found, depth: depth + 1)
            }
        }
    }

    private struct Entry: Sendable, Hashable {
        let name: String
        let id: String?
        let mark: RangedReading.Mark?

        /// The service writes `updated_at` when a file is replaced, and the store's entity tag with it.
        static func mark(_ entry: RawJSON) -> RangedReading.Mark? {
            guard let id = entry["id"]?.string, let time = entry["updated_at"]?.string,
                let tag = entry["metadata"]?["eTag"]?.string
            else { return nil }
            return .init(text: "\(id) \(time) \(tag)", tag: tag)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(ExactText(name)) }

        static func == (one: Entry, other: Entry) -> Bool {
            one.name.isByteEqual(to: other.name) && one.id == other.id
        }
    }

    /// The list of a folder, to its last page.
    ///
    /// - Parameter beginning: The beginning of the requested names; the service folds its case.
    private func entries(of folder: String, beginning: String? = nil) async throws -> [Entry] {
        var all: [Entry] = []
        var size = Self.page
        while true {
            let entries: [Entry]
            do {
                entries = try await page(of: folder, beginning: beginning, offset: all.count, limit: size)
            } catch let fault as ConnectorFault where fault.isTooLong && size > 1 {
                // The users' metadata of files may have any size.
                size /= 2
                continue
            }
            let isSame = all.count >= size && Array(all.suffix(size)) == entries
            all += entries
            guard entries.count == size else { return all }
            // Two pages of more than one name are never alike.
            guard size == 1 || !isSame else { throw ConnectorFault.samePage(rest.system) }
        }
    }

    private func page(
        of folder: String, beginning: String?, offset: Int, limit: Int, isDescending: Bool = false
    ) async throws -> [Entry] {
        var question: [String: JSONValue] = [
            "prefix": .string(folder.hasByteSuffix("/") ? folder + "/" : folder),
            "limit": .integer(Int64(limit)), "offset": .integer(Int64(offset)),
            "sortBy": .object(["column": .string("name"), "order": .string(isDescending ? "desc" : "asc")]),
        ]
        question["search"] = beginning.map(JSONValue.string)
        let reply = try await rest.ask(
            "POST", "/object/list/\(try rest.part(bucket))", .json(.object(question)), permission: Self.list,
            limit: Self.longest)
        guard let entries = try reply.json(from: rest.system).elements else {
            throw ConnectorFault.garbled(rest.system, "no list")
        }
        return try entries.map { entry in
            guard let name = entry["name"]?.string, let id = entry["id"] else {
                throw ConnectorFault.garbled(rest.system, "an entry without a name")
            }
            return Entry(name: name, id: id.string, mark: Entry.mark(entry))
        }
    }

    // MARK: The owner of a file

    /// The number of files that really are where they were listed. Each is checked only if a folder beside the
    /// subject's has a name that the list cannot distinguish from theirs.
    ///
    /// - Returns: `nil` if the service does not report that.
    func countOwn(_ files: [File], of folder: String) async throws -> Int? {
        // Two of the subject's folders that differ only in capitals list the same files.
        guard !files.isEmpty, try await hasAlike(folder) else { return Set(files.map(\.id)).count }
        var own: Set<ExactText> = []
        for file in files where !own.contains(ExactText(file.path)) {
            guard let isThere = try await isThere(file) else { return nil }
            if isThere { own.insert(ExactText(file.path)) }
        }
        return own.count
    }

    /// Whether one of the files is where it was listed; a file that the service does not report counts as if it were.
    func hasOwn(_ files: [File]) async throws -> Bool {
        for file in files {
            let isThere = try await isThere(file) ?? strangers.withLock { !$0.contains(file.label) }
            if isThere { return true }
        }
        return false
    }

    /// Whether a part of the folder's path has a sibling that a list does not distinguish from it.
    private func hasAlike(_ folder: String) async throws -> Bool {
        let parts = folder.slashParts
        for (place, part) in parts.enumerated() {
            let siblings = try await entries(of: parts[..<place].joined(separator: "/"), beginning: part)
            let isAlike = siblings.contains { sibling in
                sibling.id == nil && !sibling.name.isByteEqual(to: part) && Self.isAlike(sibling.name, part)
            }
            if isAlike { return true }
        }
        return false
    }

    /// As `ILIKE` would compare them, with the pattern's wildcards `_` and `%`.
    static func isAlike(_ name: String, _ pattern: String) -> Bool {
        let (name, pattern) = (Array(name.lowercased().unicodeScalars), Array(pattern.lowercased().unicodeScalars))
        // Places in the pattern that fit what was read of the name so far.
        func closed(_ places: Set<Int>) -> Set<Int> {
            var all = places
            for place in places.sorted() {
                var next = place
                while next < pattern.count, pattern[next] == "%" {
                    next += 1
                    all.insert(next)
                }
            }
            return all
        }
        var places = closed([0])
        for scalar in name {
            var next: Set<Int> = []
            for place in places where place < pattern.count {
                if pattern[place] == "%" { next.insert(place) }
                if pattern[place] == "_" || pattern[place] == scalar { next.insert(place + 1) }
            }
            places = closed(next)
        }
        return places.contains(pattern.count)
    }

    /// Whether a file is at that path; `nil` if the service does not report single files, and if the path could become
    /// that of another file on the way to it.
    func isThere(_ file: File) async throws -> Bool? {
        guard let path = address(of: file) else { return nil }
        do {
            let reply = try await rest.ask(
                "GET", "/object/info/\(try rest.part(bucket))/\(path)", answers: [400, 404],
                permission: "service_role: storage objects read")
            guard reply.status >= 300 else { return try reply.json(from: rest.system).isObject ? true : nil }
            return rest.line(reply).outcome == .absent ? false : nil
        } catch let fault as ConnectorFault where fault.isTooLong {
            return true
        } catch let fault as ConnectorFault where Self.isSilence(fault) {
            return nil
        }
    }

    /// A file's path as a part of an address; `nil` if it could become that of another user's file on the way.
    ///
    /// A gateway may remove `.` and `..`, the latter with the part before it, and join slashes; encoding does not help,
    /// because it decodes first. In the subject's own folder a path with joined slashes stays there.
    func address(of file: File) -> String? {
        let isListed = !file.id.isEmpty
        let isPlain = file.path.slashParts.allSatisfy { $0.isEmpty ? isListed : (try? rest.part($0)) != nil }
        return isPlain ? file.path : nil
    }

    private static func isSilence(_ fault: ConnectorFault) -> Bool {
        ["connector.unavailable", "connector.garbled"].contains(fault.error.code)
    }

    // MARK: Deleting

    /// - Returns: How many the service says it deleted.
    func delete(_ files: [File], key: String) async throws -> Int {
        let reply = try await rest.ask(
            "DELETE", "/object/\(try rest.part(bucket))",
            .json(.object(["prefixes": .array(files.map { .string($0.path) })])), key: key,
            permission: "service_role: storage objects delete", limit: Self.longest)
        guard let gone = try reply.json(from: rest.system).elements else {
            throw ConnectorFault.garbled(rest.system, "no list of what was deleted")
        }
        let names = Set(gone.compactMap { $0["name"]?.string }.map(ExactText.init))
        let missed = files.filter { !names.contains(ExactText($0.path)) }
        // Others went with the same key and call, so these were not there.
        if !names.isEmpty, missed.count < files.count { strangers.withLock { $0.formUnion(missed.map(\.label)) } }
        return gone.count
    }
}
