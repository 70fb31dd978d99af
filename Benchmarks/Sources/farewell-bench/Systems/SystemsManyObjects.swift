// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellConnectors
import Foundation

/// A hundred thousand objects of one person in S3, as moto plays it: deleted in batches, and with how much more memory
/// than before?
struct SystemsManyObjects: Comparison {
    let name = "objects"
    let title = "100,000 objects of one person in S3, against moto: deleted in batches, the memory bounded"
    /// MiB, beyond what the process has after its first calls.
    private static let allowed = 20.0

    func measure(in world: BenchWorld) async throws -> [Report.Line] {
        let count = world.isQuick ? 10_000 : 100_000
        let root = URL(filePath: #filePath).appending(path: "../../../../..").standardizedFileURL
        let moto = try await ServerProcess(
            at: root.appending(path: ".venv/bin/python3"),
            [root.appending(path: "Interop/many_objects.py").path, "\(count)"],
            log: world.folder.appending(path: "many-objects.log"), until: "\"endpoint\": \"")
        return try await ServerProcess.ending([moto]) {
            let address = String(moto.address.prefix { $0 != "\"" })
            let reach = ConnectorWorld.live(
                environment: ["AWS_ACCESS_KEY_ID": "AKIDEXAMPLE", "AWS_SECRET_ACCESS_KEY": "secret"])
            let bucket = try Self.bucket(at: address, reach)
            let lines = try await erase(count, in: bucket)
            try await reach.close()
            return lines
        }
    }

    private func erase(_ count: Int, in bucket: any Connector) async throws -> [Report.Line] {
        let neighbour = ConnectorRequest(key: "bench/u10", names: ["u10"])
        let before = try await bucket.count(neighbour)
        let memory = ProcessMemory()
        let watch = Stopwatch()
        var (erased, calls) = (0, 0)
        var request = ConnectorRequest(key: "bench/u1", names: ["u1"])
        repeat {
            let answer = try await bucket.erase(request)
            calls += 1
            switch answer {
            case .more(let some, let cursor):
                erased += some
                request.cursor = cursor
            case .erased(let some):
                erased += some
                request.cursor = nil
            default: request.cursor = nil
            }
        } while request.cursor != nil
        let took = watch.elapsed()
        let grown = memory?.grown
        guard erased == count, try await bucket.verify(request) == .gone, try await bucket.count(neighbour) == before
        else { throw FarewellError("bench.objects", .ours, "\(erased) of \(count) objects were deleted.") }
        var lines = [
            Report.Line(
                what: "\(count) objects in \(calls) pages, objects a second",
                ours: (Double(count) / took.seconds).short,
                baseline: "", ratio: nil)
        ]
        if let grown {
            lines.append(
                Report.Line(
                    what: "the most memory meanwhile, beyond that before, beside \(Self.allowed.short) MiB",
                    ours: "\(grown.short) MiB", baseline: "\(Self.allowed.short) MiB", ratio: grown / Self.allowed,
                    target: .atMost(1)))
        }
        return lines
    }

    private static func bucket(at address: String, _ reach: ConnectorWorld) throws -> any Connector {
        var system = SystemPlan(name: "photos", kind: "s3")
        system.settings = [
            "region": "eu-west-1", "bucket": "many", "prefix": "users/{person}/", "endpoint": address, "rate": "1000",
        ]
        let plan = Plan(subject: SubjectRoot(table: TableName("users"), key: "id"), tables: [], systems: [system])
        guard let connector = try ConnectorKinds.connectors(of: plan, world: reach)[system.name] else {
            throw FarewellError("bench.no-connector", .ours, "There is no connector for S3.")
        }
        return connector
    }
}
