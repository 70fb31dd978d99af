// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import Foundation
import PlanCorpus

/// How well a plan is drafted for schemas without keys: which links of the corpus are found again, by names and types
/// and with a sample of the rows, and how much of what is proposed is right. The baseline is what the authors know.
struct PlanRecovery: Comparison {
    let name = "plans"
    let title = "dropped keys found again: recall and precision, by names and types / with a sample"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        var lines: [Report.Line] = []
        var (links, byName, sampled, wrong) = (0, 0.0, 0.0, 0)
        for measurement in CorpusMeasurement.all {
            let result = try await result(of: measurement, world)
            lines.append(line(measurement.title, result))
            links += result.links
            byName += result.recall.byName * Double(result.links)
            sampled += result.recall.sampled * Double(result.links)
            wrong += result.wronglyAccepted
        }
        let total = Double(max(links, 1))
        return lines + [
            Report.Line(
                what: "all: recall by names and types", ours: percent(byName / total), baseline: "\(links) links",
                ratio: byName / total, target: .atLeast(0.95)),
            Report.Line(
                what: "all: recall with a sample", ours: percent(sampled / total), baseline: "\(links) links",
                ratio: sampled / total, target: .atLeast(0.99)),
            Report.Line(
                what: "all: wrong links without a question", ours: "\(wrong)", baseline: "0", ratio: Double(wrong),
                target: .atMost(0)),
        ]
    }

    private func line(_ title: String, _ result: CorpusMeasurement.Result) -> Report.Line {
        Report.Line(
            what: title,
            ours: "recall \(percent(result.recall.byName)) / \(percent(result.recall.sampled)), "
                + "precision \(percent(result.precision.byName)) / \(percent(result.precision.sampled)), "
                + "through other tables \(percent(result.indirect.byName)) / \(percent(result.indirect.sampled)), "
                + "wrong \(result.wronglyAccepted)",
            baseline: "\(result.links) links", ratio: result.recall.byName)
    }

    private func percent(_ share: Double) -> String { "\((share * 100).short) %" }

    private func result(of measurement: CorpusMeasurement, _ world: BenchWorld) async throws -> CorpusMeasurement.Result
    {
        let name = "bench_\(UUID().uuidString.lowercased().replacing("-", with: ""))"
        if measurement.dialect == .sqlite {
            let database = try SQLiteDatabase(
                path: world.folder.appending(path: name).path, configuration: .init(access: .createIfMissing))
            return try await closing(database) { try await measurement.result(in: database) }
        }
        try await world.administer("CREATE DATABASE \(name)")
        do {
            let database = try PostgreSQLDatabase(url: world.address(of: name))
            let result = try await closing(database) { try await measurement.result(in: database) }
            try await world.administer("DROP DATABASE \(name) WITH (FORCE)")
            return result
        } catch {
            try? await world.administer("DROP DATABASE \(name) WITH (FORCE)")
            throw error
        }
    }

    private func closing<Value>(_ database: any SQLDatabase, _ body: () async throws -> Value) async throws -> Value {
        do {
            let value = try await body()
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }
}
