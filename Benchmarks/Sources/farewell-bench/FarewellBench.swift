// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// Measures Farewell beside the bare statements, in the same run, on the same server, by turns.
///
///     farewell-bench [--quick] [--rounds N] [NAME…]
///
/// Without names everything is measured; `--list` tells the names. Needs a PostgreSQL server whose address is in
/// `FAREWELL_TEST_POSTGRES`: `make bench` starts one that waits for its disk.
@main
struct FarewellBench {
    static func main() async {
        do {
            let words = CommandLine.arguments
            if words.count == 4, words[1] == VerifyingService.flag {
                return try await VerifyingService.run(server: words[2], keyFile: words[3])
            }
            let arguments = try BenchArguments(CommandLine.arguments.dropFirst())
            if arguments.isList {
                for comparison in comparisons { print(comparison.name) }
                return
            }
            try await run(arguments)
        } catch {
            FileHandle.standardError.write(Data("farewell-bench: \(error)\n".utf8))
            exit(1)
        }
    }

    static let comparisons: [any Comparison] = [
        SingleAccount(), CoachmeQueue(), CommandQueue(), CommandStart(), ExportSpeed(), MuseAccounts(),
        OtherPeoplesRows(), ThousandTables(), PlanRecovery(), LargeAccount(),
        SQLiteAccounts(), ServiceBacklog(), ServiceLatency(), ServiceRescue(), ServiceGrowth(), SessionRates(),
        ProgramPair(),
        VerifiedRoute(), SignOutReach(), PasswordSignIns(), ServerStart(), PageAnswers(), DeviceSpeed(),
        SystemsSideBySide(), SystemsBudget(), SystemsManyObjects(),
    ]

    /// Off the main actor, where a server would run it.
    @concurrent
    private static func run(_ arguments: BenchArguments) async throws {
        for name in arguments.names where !comparisons.contains(where: { $0.name == name }) {
            throw FarewellError("bench.unknown", .yoursToFix, "There is no measurement \(name).", remedy: "See --list.")
        }
        let bench = try BenchWorld(isQuick: arguments.isQuick, rounds: arguments.rounds)
        defer { bench.remove() }
        bench.tell("\(ProcessInfo.processInfo.activeProcessorCount) cores, load \(BenchWorld.load)")
        for comparison in comparisons where arguments.names.isEmpty || arguments.names.contains(comparison.name) {
            bench.tell("\n## \(comparison.name): \(comparison.title)\n")
            let lines = try await comparison.measure(in: bench)
            bench.tell(Report(lines: lines).text)
            bench.tell("load \(BenchWorld.load)")
        }
    }
}

/// One thing measured beside its baseline.
protocol Comparison: Sendable {
    /// Its name on the command line.
    var name: String { get }
    var title: String { get }
    func measure(in world: BenchWorld) async throws -> [Report.Line]
}

/// The arguments of the command line.
struct BenchArguments {
    private(set) var isQuick = false
    private(set) var isList = false
    private(set) var rounds: Int?
    private(set) var names: [String] = []

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        while let word = words.next() {
            switch word {
            case "--quick": isQuick = true
            case "--list": isList = true
            case "--rounds":
                guard let count = words.next().flatMap(Int.init), count > 0 else { throw Self.refused(word) }
                rounds = count
            case _ where word.hasPrefix("-"): throw Self.refused(word)
            default: names.append(word)
            }
        }
    }

    private static func refused(_ word: String) -> FarewellError {
        FarewellError(
            "bench.arguments", .yoursToFix, "\(word) is not understood.",
            remedy: "farewell-bench [--quick] [--rounds N] [--list] [NAME…]")
    }
}
