// SPDX-License-Identifier: Apache-2.0
import FarewellSQL
import FarewellSample

/// The cost of an account for a service, among more and more other users: by turns, and the bare delete in the same
/// way,
/// which meets larger tables too.
struct ServiceGrowth: Comparison {
    let name = "flat"
    let title = "accounts of coachme carried out by 2 workers, among more and more people"

    private static let leaving = 100
    /// How many of each round go one after the other: few, so that hardly two of them touch the same page.
    private static let alone = 10
    /// How many go before those, so that no connection meets a statement for the first time.
    private static let before = 15

    /// Tables of one size, and the accounts a second of each round.
    private struct Place {
        let store: PeopleDatabase
        let people: Int
        var queue: PeopleQueue
        var service: [Double] = []
        var bare: [Double] = []
        var alone = Latencies()
        var bareAlone = Latencies()
    }

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        try await measure(in: world, sizes: world.isQuick ? [1_000, 10_000] : [1_000, 10_000, 100_000], places: [])
    }

    /// Makes the tables of one size after the other, then goes through all of them by turns.
    private func measure(in world: BenchWorld, sizes: [Int], places: [Place]) async throws -> [Report.Line] {
        guard let size = sizes.first else { return try await lines(places, rounds: world.isQuick ? 3 : 7) }
        let people = try SamplePeople(.coachme, people: size + (Self.leaving + Self.before + Self.alone) * 16)
        return try await world.withPeople(people) { store in
            let place = Place(store: store, people: size, queue: PeopleQueue(people))
            return try await measure(in: world, sizes: Array(sizes.dropFirst()), places: places + [place])
        }
    }

    private func lines(_ begun: [Place], rounds: Int) async throws -> [Report.Line] {
        var places = begun
        // The first round finds everything cold.
        for round in 0...rounds {
            for number in places.indices {
                let turn = (number + round) % places.count
                let (service, bare) = try await rates(of: &places[turn])
                let (alone, bareAlone) = try await oneByOne(of: &places[turn])
                guard round > 0 else { continue }
                places[turn].service.append(service)
                places[turn].bare.append(bare)
                alone.forEach { places[turn].alone.add($0) }
                bareAlone.forEach { places[turn].bareAlone.add($0) }
            }
        }
        guard let first = places.first else { return [] }
        return places.dropFirst().flatMap { place in
            [
                line("\(Self.leaving) of \(place.people) people", place.service, first.service, .within(0.2)),
                line("the same, the bare delete", place.bare, first.bare, .none),
                added(place, first),
                line("one at a time among \(place.people) people", place.alone, first.alone, .atMost(1.2)),
                line("the same, the bare delete", place.bareAlone, first.bareAlone, .none),
            ]
        }
    }

    /// The cost of an account beside its bare delete, which takes longer in larger tables in any case.
    private func added(_ place: Place, _ first: Place) -> Report.Line {
        func cost(_ place: Place) -> Double { 1 / place.service.median - 1 / place.bare.median }
        return Report.Line(
            what: "what Farewell adds to it, beside as many of 1000", ours: "\((cost(place) * 1_000).short) ms",
            baseline: "\((cost(first) * 1_000).short) ms", ratio: cost(place) / cost(first), target: .within(0.2))
    }

    /// Accounts a second, of the service and of the bare delete.
    private func rates(of place: inout Place) async throws -> (service: Double, bare: Double) {
        let (mine, others) = (try place.queue.take(Self.leaving), try place.queue.take(Self.leaving))
        let service = try await ServiceWork(place.store, concurrency: 2).carriedOut(mine)
        let bare = try place.store.bare("bare", connections: 2, groupSize: 50) { BareStatements.cascade(of: $0) }
        try await place.store.tidy()
        let watch = Stopwatch()
        try await bare.run(others)
        let took = watch.elapsed()
        return (Double(Self.leaving) / service.seconds, Double(Self.leaving) / took.seconds)
    }

    /// The time of one account without other requests: of the service to its receipt, and of the bare delete.
    ///
    /// The log is in the same state for tables of every size, since a checkpoint has just been.
    private func oneByOne(
        of place: inout Place
    ) async throws -> (service: ArraySlice<Duration>, bare: ArraySlice<Duration>) {
        let count = Self.before + Self.alone
        let (mine, others) = (try place.queue.take(count), try place.queue.take(count))
        let service = try await ServiceWork(place.store, concurrency: 2).alone(mine)
        let bare = try place.store.bare("bare", connections: 1, groupSize: 1) { BareStatements.cascade(of: $0) }
        try await place.store.tidy()
        var took = Latencies()
        for key in others { try await took.time { try await bare.run([key]) } }
        return (service.suffix(Self.alone), took.all.suffix(Self.alone))
    }

    private func line(_ what: String, _ ours: Latencies, _ first: Latencies, _ target: Report.Target) -> Report.Line {
        Report.Line(
            what: "\(what), beside among 1000", ours: ours.text, baseline: first.text,
            ratio: ours.median / first.median, target: target)
    }

    private func line(
        _ what: String, _ rates: [Double], _ first: [Double], _ target: Report.Target
    ) -> Report.Line {
        let ratios = zip(rates, first).map { $1 / $0 }
        return Report.Line(
            what: "\(what), beside as many of 1000", ours: "\(rates.median.short)/s",
            baseline: "\(first.median.short)/s", ratio: ratios.median, target: target, rounds: ratios)
    }
}
