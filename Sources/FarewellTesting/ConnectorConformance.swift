// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellErasure
import Testing

/// Tests the promises of every connector on one: it erases despite all faults, reports them correctly, and changes no
/// other user's data.
///
/// ```swift
/// @Test("our connector keeps the promises of connectors")
/// func promises() async throws { try await ConnectorConformance(bed).run() }
/// ```
public struct ConnectorConformance: Sendable {
    private let bed: any ConnectorBed

    public init(_ bed: any ConnectorBed) { self.bed = bed }

    /// All of it. Records an issue for every promise that is not kept.
    public func run() async throws {
        try await erases()
        for how in ConnectorMisleading.allCases { try await misleads(how) }
        try await strangely()
        let calls = try await calls()
        for fault in InjectedFault.allCases {
            // At the first call of a run, at the last, and between them.
            let places = [0, calls / 2, calls - 1].filter { (0..<max(calls, 1)).contains($0) }
            for call in Set(places).sorted() {
                try await once(fault, at: call)
            }
            try await lasting(fault)
        }
    }

    // MARK: The promises

    /// Without faults: the subject is erased, other users are as before, and a repetition does no harm.
    private func erases() async throws {
        let scene = try await Scene(bed)
        #expect(!scene.own.isEmpty, "\(bed.name): no subject was set up")
        let request = request(scene)
        let first = try await run(request, on: scene)
        await scene.expectGone("at once")
        let counts = first.counts
        if bed.connector.declaration.abilities.contains(.count) {
            #expect((counts["found"] ?? 0) > 0, "\(bed.name): nothing was counted")
        }
        _ = try await run(request, on: scene)
        await scene.expectGone("again")
        let nobody = try await run(.init(key: "run/\(bed.name)/nobody", names: [bed.nobody]), keeping: Kept())
        if bed.connector.declaration.abilities.contains(.count) {
            #expect((nobody.counts["erased"] ?? 0) == 0, "\(bed.name): a subject was erased that does not exist")
        }
        await scene.expectGone("request without a subject")
    }

    /// At another place, or with a credential that sees nothing, the connector does not report the subject as gone.
    private func misleads(_ how: ConnectorMisleading) async throws {
        let scene = try await Scene(bed)
        guard let misled = try await bed.misled(how) else { return }
        let what = "\(bed.name): \(how.rawValue)"
        let request = request(scene)
        func expectRefusal<Answer>(_ ask: () async throws -> Answer, unless isHonest: (Answer) -> Bool) async {
            do {
                let answer = try await ask()
                #expect(isHonest(answer), "\(what): \(answer)")
            } catch let fault as ConnectorFault {
                #expect(fault.error.family == .yoursToFix && fault.error.remedy != nil, "\(what): \(fault)")
                for secret in bed.secrets { #expect(!"\(fault)".contains(secret), "\(what) reveals a secret") }
            } catch {
                Issue.record("\(what): \(error)")
            }
        }
        await expectRefusal({ try await misled.count(request) }, unless: { $0 == nil })
        await expectRefusal(
            { try await misled.erase(request) }, unless: { _ in !misled.declaration.abilities.contains(.count) })
        await expectRefusal({ try await misled.verify(request) }, unless: { $0 != .gone })
        let census = try await bed.census()
        #expect(bed.entries(of: scene.names, in: census) == scene.own, "\(what): data was deleted")
    }

    /// With strange names of entries: all of the subject's are erased, and no other user's.
    private func strangely() async throws {
        guard let names = try await bed.settleStrangely() else { return }
        let scene = try await Scene(bed, names: names)
        #expect(!scene.own.isEmpty && !scene.others.isEmpty, "\(bed.name): no subject with an unusual name was set up")
        _ = try await run(request(scene), on: scene)
        await scene.expectGone("strange name")
    }

    /// The number of calls of a run without faults. Counted after the connector was used before, so that it has the
    /// values that it keeps between runs, such as a token.
    private func calls() async throws -> Int {
        let scene = try await Scene(bed)
        _ = try await run(request(scene), on: scene)
        return await bed.calls
    }

    /// One fault at one call.
    private func once(_ fault: InjectedFault, at call: Int) async throws {
        let scene = try await Scene(bed)
        let what = "\(fault.rawValue) at call \(call)"
        await bed.inject(fault, at: call, lasting: false)
        do {
            _ = try await run(request(scene), on: scene)
            let calls = await bed.calls
            let isOvercome = fault.outcome == .done || bed.overcome.contains(fault)
            #expect(isOvercome || calls <= call, "\(bed.name): \(what) passed unseen")
        } catch {
            #expect(fault.outcome != .done, "\(bed.name): \(what): \(error)")
            expectHonest(error, fault, what)
            await bed.inject(nil, at: 0, lasting: false)
            _ = try await run(request(scene), on: scene)
        }
        await scene.expectGone(what)
        await bed.inject(nil, at: 0, lasting: false)
    }

    /// A lasting fault: the connector never reports "done", and once the fault ends the run completes.
    private func lasting(_ fault: InjectedFault) async throws {
        guard fault != .stale else { return }
        let scene = try await Scene(bed)
        await bed.inject(fault, at: 0, lasting: true)
        do {
            _ = try await run(request(scene), on: scene)
            Issue.record("\(bed.name): done, although everything was \(fault.rawValue)")
        } catch {
            expectHonest(error, fault, "lasting \(fault.rawValue)")
        }
        await bed.inject(nil, at: 0, lasting: false)
        _ = try await run(request(scene), on: scene)
        await scene.expectGone("after lasting \(fault.rawValue)")
        await bed.inject(nil, at: 0, lasting: false)
    }

    private func expectHonest(_ error: any Error, _ fault: InjectedFault, _ what: String) {
        if fault.outcome == .resumed { return #expect(error is CancellationError, "\(bed.name): \(what): \(error)") }
        guard let error = error as? FarewellError else {
            Issue.record("\(bed.name): \(what): \(error)")
            return
        }
        #expect((error.family == .tryAgain) == (fault.outcome == .done), "\(bed.name): \(what): \(error)")
        if fault.outcome == .parked {
            #expect(error.code == "connector.credentials", "\(bed.name): \(what): \(error)")
        }
        for secret in bed.secrets { #expect(!"\(error)".contains(secret), "\(bed.name): \(what) reveals a secret") }
    }

    // MARK: A run

    private func request(_ scene: Scene) -> ConnectorRequest {
        // The key of a run contains no part of a subject's name that a header could not hold.
        let names = String(
            decoding: scene.names.joined().utf8.map { $0 < 0x7f ? $0 : UInt8(ascii: "_") }, as: UTF8.self)
        return ConnectorRequest(key: "run/\(bed.name)/\(names)", names: scene.names)
    }

    private func run(_ request: ConnectorRequest, on scene: Scene) async throws -> StepProgress {
        try await run(request, keeping: scene.kept)
    }

    private func run(_ request: ConnectorRequest, keeping kept: Kept) async throws -> StepProgress {
        var driver = ConnectorDriver(bed.name, bed.connector, sleep: { _ in }, chance: { 0.5 })
        driver.news = { try await bed.news(of: $0) }
        driver.waitsBetweenPages = true
        return try await driver.run(request, from: await kept.value) { await kept.keep($0) }
    }

    /// One subject in the system, and all other users.
    private struct Scene: Sendable {
        let bed: any ConnectorBed
        let names: [String]
        let own: Set<String>
        let others: [String: String]
        let kept = Kept()

        init(_ bed: any ConnectorBed, names settled: [String]? = nil) async throws {
            self.bed = bed
            if let settled { names = settled } else { names = try await bed.settle() }
            let census = try await bed.census()
            let own = bed.entries(of: names, in: census)
            self.own = own
            others = census.filter { !own.contains($0.key) }
            await bed.inject(nil, at: 0, lasting: false)
        }

        func expectGone(_ what: String) async {
            do {
                let census = try await bed.census()
                let left = bed.entries(of: names, in: census)
                #expect(left.isEmpty, "\(bed.name): \(what): \(left.count) entries are left")
                let now = census.filter { !own.contains($0.key) }
                #expect(now == others, "\(bed.name): \(what): another subject's entries changed")
            } catch {
                Issue.record("\(bed.name): \(what): \(error)")
            }
        }
    }

    private actor Kept {
        private(set) var value: StepProgress?
        func keep(_ progress: StepProgress) { value = progress }
    }
}
