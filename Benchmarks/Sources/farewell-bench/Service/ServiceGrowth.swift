// SPDX-License-Identifier: Apache-2.0
import FarewellSample

/// What an account costs a service, among more and more other people.
struct ServiceGrowth: Comparison {
    let name = "flat"
    let title = "accounts of coachme carried out by 2 workers, among more and more people"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let sizes = world.isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000]
        let leaving = 500
        var rates: [(people: Int, rate: Double)] = []
        for size in sizes {
            let people = try SamplePeople(.coachme, people: size + leaving * 2)
            let rate = try await world.withPeople(people) { store in
                var queue = PeopleQueue(people)
                let work = ServiceWork(store, lanes: 2)
                _ = try await work.carriedOut(try queue.take(leaving / 2))
                return Double(leaving) / (try await work.carriedOut(try queue.take(leaving))).seconds
            }
            rates.append((size, rate))
        }
        guard let first = rates.first else { return [] }
        return rates.dropFirst().map { size, rate in
            Report.Line(
                what: "\(leaving) of \(size) people beside \(leaving) of \(first.people)", ours: "\(rate.short)/s",
                baseline: "\(first.rate.short)/s", ratio: first.rate / rate, target: .within(0.2))
        }
    }
}
