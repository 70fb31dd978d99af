// SPDX-License-Identifier: Apache-2.0
import FarewellKeys
import Foundation
import Logging
import Testing

@Suite("Acts that are completed although their caller was cancelled")
struct CompletedActTests {
    /// Ends when its task is cancelled.
    private static let untilCancelled: @Sendable () async -> Void = {
        let (nothing, source) = AsyncStream.makeStream(of: Never.self)
        for await _ in nothing {}
        source.finish()
    }

    private static func environment(_ sleep: @escaping @Sendable (Duration) async throws -> Void) -> EngineEnvironment {
        EngineEnvironment(
            now: { Date(timeIntervalSince1970: 0) }, makeIdentifier: { UUID() }, sleep: sleep, owner: "here:1:a",
            isDead: { _ in false }, log: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    @Test("OP-5 a process that stops while its database is silent gives the database ten seconds, and then no more")
    func silent() async throws {
        let (waits, wait) = AsyncStream.makeStream(of: Duration.self)
        let environment = Self.environment { wait.yield($0) }
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let caller = Task {
            try await environment.completing {
                begin.yield()
                await Self.untilCancelled()
                try Task.checkCancellation()
                return "answered"
            }
        }
        for await _ in begins { break }
        caller.cancel()
        await #expect(throws: CancellationError.self) { try await caller.value }
        for await asked in waits {
            #expect(asked == .seconds(10))
            break
        }
    }

    @Test("Item 34: a cancelled caller learns the effect of work that it began, and nothing waits afterwards")
    func learns() async throws {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        let environment = Self.environment { _ in
            await Self.untilCancelled()
            end.yield()
            throw CancellationError()
        }
        let (begins, begin) = AsyncStream.makeStream(of: Void.self)
        let (answers, answer) = AsyncStream.makeStream(of: Void.self)
        let caller = Task {
            try await environment.completing {
                begin.yield()
                for await _ in answers { break }
                return Task.isCancelled ? "cancelled" : "completed"
            }
        }
        for await _ in begins { break }
        caller.cancel()
        answer.yield()
        #expect(try await caller.value == "completed")
        for await _ in ends { break }
    }
}
