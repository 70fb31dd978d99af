// SPDX-License-Identifier: Apache-2.0
import Testing

/// Compares `docs/architecture.md` with the source.
@Suite("The page about the architecture")
struct ArchitectureTests {
    private static let path = "docs/architecture.md"
    private static let tree = SourceTree.ofThisPackage
    /// The modules in which a file with this name lies, by the name without its ending.
    private static let modules: [String: Set<String>] = tree.files.reduce(into: [:]) { found, file in
        guard let module = file.module else { return }
        found[String(file.name.dropLast(".swift".count)), default: []].insert(module)
    }

    @Test("the page about the architecture has at most 150 lines and names only files that exist")
    func names() throws {
        let page = try #require(Self.tree[Self.path])
        #expect(page.lines.count <= 151)
        let names = page.lines.flatMap { Self.named(in: $0) }
        #expect(names.count > 50)
        let allModules = Self.modules.values.reduce(into: Set<String>()) { $0.formUnion($1) }
        #expect(names.filter { Self.modules[$0] == nil && !allModules.contains($0) } == [])
    }

    @Test("the path of a request to its receipt leads through at most 30 files of the named modules")
    func readingPath() throws {
        let page = try #require(Self.tree[Self.path])
        let lines = page.lines.filter { $0.first?.isNumber == true && $0.dropFirst().hasPrefix(". `Farewell") }
        #expect(lines.count == 3)
        var files: [String] = []
        for line in lines {
            let names = Self.named(in: line)
            let module = try #require(names.first)
            let types = names.dropFirst()
            for name in types {
                let homes = try #require(Self.modules[name], "\(name) has no file")
                #expect(homes.contains(module) || homes.contains { line.contains("(\($0))") }, "\(name) is not in \(module)")
            }
            files += types
        }
        #expect((10...30).contains(files.count))
        #expect(Set(files).count == files.count)
    }

    @Test("one executor erases small accounts for the command and the workers, and only the run of steps uses the others")
    func executors() {
        #expect(Self.files(calling: "SingleTransaction.admitted") == ["ErasureBatch", "ErasureBatch+Awaited", "ErasureEngine"])
        #expect(Self.files(calling: "SingleTransaction(") == ["SingleTransaction"])
        for executor in ["RowErasure(", "ChunkedErasure("] { #expect(Self.files(calling: executor) == ["ErasureRun"]) }
    }

    @Test("the order of a transaction that erases rows, from the lease to the comparison of the counters, is in one file")
    func order() {
        // The executors get it from there; a step's transaction adds the turn, the lease and the schema.
        #expect(Self.files(calling: "GuardedChanges(") == ["SingleTransaction", "StepTransaction"])
        for executor in ["RowErasure", "ChunkedErasure"] { #expect(Self.files(calling: "transaction.changes(").contains(executor)) }
        #expect(Self.files(calling: "Phase.allCases") == ["GuardedChanges"])
        // A rehearsal counts each effect behind a savepoint, and the end of a retention changes rows by their keys.
        #expect(Self.files(calling: "ChangeGuard(") == ["GuardedChanges", "RehearsalRun", "Retainer"])
        #expect(Self.files(calling: "watch.beginning") == ["GuardedChanges", "RehearsalTrial", "Retainer"])
        #expect(Self.files(calling: "watch.reading") == ["GuardedChanges", "RehearsalTrial"])
    }

    /// The names of the engine's files with a call, without their endings.
    private static func files(calling function: String) -> [String] {
        tree.files.filter { $0.module == "FarewellErasure" && !$0.code(holding: [function]).isEmpty }
            .map { String($0.name.dropLast(".swift".count)) }.sorted()
    }

    /// The names of types, files and modules between backticks.
    private static func named(in line: Substring) -> [String] {
        line.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .compactMap { piece in
                // A type's member follows a full stop, an extension's name a plus sign.
                let name = piece.element.prefix { $0.isLetter || $0.isNumber || $0 == "+" }
                let next = piece.element.dropFirst(name.count).first
                guard name.first?.isUppercase == true, name.contains(where: \.isLowercase), next == nil || next == "."
                else { return nil }
                return String(name)
            }
    }
}
