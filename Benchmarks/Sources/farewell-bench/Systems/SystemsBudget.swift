// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellConnectors
import FarewellErasure
import FarewellSQL
import FarewellSample

/// A thousand erasures in a table of DynamoDB, as moto plays it, under the connector's budget of calls: is it held, and
/// is any of it wasted? The budget is one that moto can serve on a core that it shares, about half of what it can.
struct SystemsBudget: Comparison {
    let name = "budget"
    let title = "many erasures under a budget of calls, against moto: held, and none wasted"

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let count = world.isQuick ? 100 : 1_000
        let people = try SamplePeople(.coachme, people: count + 10)
        let keys = Array((1...count).map(people.subjectKey))
        return try await CountedTable.with(in: world) { table in
            for key in keys { try await table.put(key) }
            var system = SystemPlan(name: "entitlements", kind: "dynamodb")
            system.settings = [
                "region": "eu-west-1", "table": "entitlements", "key": "user_id", "endpoint": table.address,
                "rate": "25",
            ]
            let surroundings = ["AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"]
            let reach = ConnectorWorld.live(environment: surroundings)
            let plan = Plan(
                subject: SubjectRoot(table: TableName("users"), key: "id"), tables: [], systems: [system])
            guard let connector = try ConnectorKinds.connectors(of: plan, world: reach)[system.name] else {
                throw FarewellError("bench.no-connector", .ours, "There is no connector for DynamoDB.")
            }
            table.forget()
            let took = try await world.withPeople(people) { store in
                let database = try store.connect(8)
                let engine = try await store.engine(on: database, [system: connector])
                let watch = Stopwatch()
                try await engine.eraseAll(keys, options: .init())
                let took = watch.elapsed()
                await database.close()
                return took
            }
            try await reach.close()
            return lines(table.calls, connector.declaration.budget, took)
        }
    }

    private func lines(_ calls: [Double], _ budget: RateBudget, _ took: Duration) -> [Report.Line] {
        let least = Double(calls.count - budget.burst) / budget.perSecond
        let most = Self.most(calls, within: 1)
        let allowed = Double(budget.burst) + budget.perSecond
        return [
            Report.Line(
                what: "\(calls.count) calls, beside as many as the budget lets through", ours: took.text,
                baseline: Duration.seconds(least).text, ratio: took.seconds / least, target: .atMost(1.05)),
            Report.Line(
                what: "calls in the busiest second, beside what the budget allows", ours: "\(most)",
                baseline: allowed.short, ratio: Double(most) / allowed, target: .atMost(1.01)),
        ]
    }

    /// The most calls in any stretch of that many seconds.
    private static func most(_ calls: [Double], within seconds: Double) -> Int {
        var (first, most) = (0, 0)
        for (last, at) in calls.enumerated() {
            while at - calls[first] >= seconds { first += 1 }
            most = max(most, last - first + 1)
        }
        return most
    }
}
