// SPDX-License-Identifier: Apache-2.0
import Testing

/// The folders of a module in an order: each uses only types of those before it.
@Suite("Folders")
struct FolderTests {
    /// The names of the types that a file declares at its outermost level, for itself or for other files.
    private static func types(of file: SourceFile, arePrivate: Bool = false) -> [String] {
        let kinds: Set<Substring> = ["struct", "enum", "class", "actor", "protocol", "typealias"]
        return file.swift.code.split(separator: "\n").compactMap { line in
            guard let first = line.first, first.isLetter || first == "@" else { return nil }
            let words = line.split { !$0.isLetter && !$0.isNumber && $0 != "_" && $0 != "@" }
            guard let kind = words.firstIndex(where: kinds.contains), kind + 1 < words.count,
                words[..<kind].contains(where: { $0 == "private" || $0 == "fileprivate" }) == arePrivate
            else { return nil }
            return String(words[kind + 1])
        }
    }

    /// The folders that lead back to themselves, each with the names that lead on from it within the circle.
    private static func circles(of files: [(folder: String, file: SourceFile)]) -> [String] {
        var owners: [Substring: String] = [:]
        for (folder, file) in files {
            for type in types(of: file) where owners[type[...]] == nil { owners[type[...]] = folder }
        }
        var uses: [String: [String: Set<String>]] = [:]
        for (folder, file) in files {
            let own = Set(types(of: file, arePrivate: true).map { $0[...] })
            for word in Set(file.swift.code.split { !$0.isLetter && !$0.isNumber && $0 != "_" }).subtracting(own) {
                if let owner = owners[word], owner != folder { uses[folder, default: [:]][owner, default: []].insert(String(word)) }
            }
        }
        func reached(from start: String) -> Set<String> {
            var (found, next): (Set<String>, [String]) = ([], [start])
            while let folder = next.popLast() {
                for used in uses[folder, default: [:]].keys where found.insert(used).inserted { next.append(used) }
            }
            return found
        }
        let reach = Dictionary(uniqueKeysWithValues: uses.keys.map { ($0, reached(from: $0)) })
        return uses.flatMap { folder, used in
            used.filter { reach[$0.key]?.contains(folder) ?? false }
                .map { "\(folder) uses \($0.value.sorted().joined(separator: ", ")) of \($0.key)" }
        }.sorted()
    }

    /// The first folder within the module: `Sources/Module/Folder/…`.
    private static func folder(of file: SourceFile) -> String {
        let folders: [Substring] = file.path.split(separator: "/").dropLast()
        return folders.count > 2 ? String(folders[2]) : ""
    }

    @Test("no folder of a module depends on itself through others")
    func order() {
        let sources = SourceTree.ofThisPackage.files.filter(\.isSource)
        let modules = Dictionary(grouping: sources) { $0.module ?? "" }.mapValues { files in
            files.map { (folder: Self.folder(of: $0), file: $0) }
        }
        for (module, files) in modules { #expect(Self.circles(of: files) == [], "\(module)") }
        #expect(modules.values.count { Set($0.map(\.folder)).count >= 5 } >= 13)
    }

    @Test("a circle of folders is found, and an order of folders is none")
    func circle() {
        func file(_ folder: String, _ text: String) -> (folder: String, file: SourceFile) {
            (folder, SourceFile("Sources/Module/\(folder)/File.swift", text))
        }
        let below = file("Below", "package struct Store {}\n// Above\nlet above = \"Above\"\n")
        let own = "private struct Above {}\n"
        #expect(Self.circles(of: [below, file("Below", own), file("High", "final class Above { let store: Store }\n")]) == [])
        let up = file("Below", "struct Store { var above: Above? }\n")
        let circle = Self.circles(of: [up, file("High", "final class Above { let store: Store }\n")])
        #expect(circle == ["Below uses Above of High", "High uses Store of Below"])
    }
}
