// SPDX-License-Identifier: Apache-2.0
import Crypto
import CryptoExtras
import FarewellSQL
import Foundation

/// The minimal cost of a session: one row changed by its key, one signature, one verification, one hash.
enum BareSessionCosts {
    /// Changes one session's row after the other by its primary key, on as many connections as the server has.
    static func updates(_ house: SessionFixture, of file: URL, seconds: Int) async throws -> HTTPLoad.Result {
        let keys = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").compactMap {
            $0.split(separator: " ").last.map(String.init)
        }
        let database = try house.connect()
        let table = house.dialect == .postgresql ? "auth.sessions" : "auth_sessions"
        let text = "UPDATE \(table) SET refreshed_at = $2, last_seen_at = $2, updated_at = $2 WHERE id = $1"
        let workers = house.dialect == .postgresql ? 16 : 4
        let watch = Stopwatch()
        let latencies = try await withThrowingTaskGroup(of: Latencies.self) { tasks in
            for worker in 0..<workers {
                tasks.addTask {
                    try await database.withConnection { connection in
                        var mine = Latencies()
                        var place = worker
                        while watch.elapsed() < .seconds(seconds) {
                            let key = UUID(uuidString: keys[place % keys.count]) ?? UUID()
                            try await mine.time {
                                _ = try await connection.run(SQLStatement(text, [.uuid(key), .timestamp(Date())]))
                            }
                            place += workers
                        }
                        return mine
                    }
                }
            }
            return try await tasks.reduce(into: []) { $0.append($1) }
        }
        let took = watch.elapsed()
        await database.close()
        let all = latencies.reduce(into: Latencies()) { sum, one in one.all.forEach { sum.add($0) } }
        return HTTPLoad.Result(
            good: all.all.count, busy: 0, bad: 0, took: took, median: all.median, p99: all.percentile(0.99))
    }

    /// One ES256 signature, and checking it: the median time of each.
    static func signature() throws -> (signing: Duration, verifying: Duration) {
        let key = P256.Signing.PrivateKey()
        let text = Data(repeating: 97, count: 600)
        let signature = try key.signature(for: text)
        var (signing, verifying) = ([Double](), [Double]())
        for _ in 0..<2_000 {
            var watch = Stopwatch()
            _ = try key.signature(for: text)
            signing.append(watch.elapsed().seconds)
            watch = Stopwatch()
            _ = key.publicKey.isValidSignature(signature, for: text)
            verifying.append(watch.elapsed().seconds)
        }
        return (.seconds(signing.median), .seconds(verifying.median))
    }

    /// Password hashes in a second, one at a time on each core.
    static func hashes(seconds: Int) async throws -> Double {
        let watch = Stopwatch()
        let count = try await withThrowingTaskGroup(of: Int.self) { tasks in
            for _ in 0..<ProcessInfo.processInfo.activeProcessorCount {
                tasks.addTask {
                    var count = 0
                    while watch.elapsed() < .seconds(seconds) {
                        _ = try KDF.Scrypt.deriveKey(
                            from: Array("correct horse battery staple".utf8), salt: Array("0123456789abcdef".utf8),
                            outputByteCount: 32, rounds: 1 << 15, blockSize: 8, parallelism: 3)
                        count += 1
                    }
                    return count
                }
            }
            return try await tasks.reduce(0, +)
        }
        return Double(count) / watch.elapsed().seconds
    }
}
