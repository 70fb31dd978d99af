// SPDX-License-Identifier: Apache-2.0

import Farewell
import FarewellClient
import FarewellUI
import Testing

/// The sessions at a server. A test holds back answers of calls that the server has carried out.
private actor HeldSessions: AccountService {
    private var listed: [ListedSession]
    private var toHold = 0
    private var held: [CheckedContinuation<Void, Never>] = []
    private var isOffline = false

    init(_ listed: [ListedSession]) { self.listed = listed }

    var heldCount: Int { held.count }
    func holdNext(_ count: Int) { toHold = count }
    func goOffline() { isOffline = true }

    func release() {
        for one in held { one.resume() }
        held = []
    }

    private func answer() async {
        guard toHold > 0 else { return }
        toHold -= 1
        await withCheckedContinuation { held.append($0) }
    }

    func sessions() async throws -> [ListedSession] {
        if isOffline { throw FarewellError.offline }
        let found = listed
        await answer()
        return found
    }

    func endSession(_ id: String) async throws {
        listed.removeAll { $0.id == id }
        await answer()
    }

    func signOut(_ scope: SignOutScope) async throws -> SignOutResult {
        SignOutResult(device: WipeReport([]), server: .told)
    }
    func deleteAccount(
        proof: Token?, _ progress: @escaping @Sendable (DeletionProgress) -> Void
    ) async throws -> DeletionResult {
        DeletionResult(server: DeletionProgress(state: "done"), isDone: true)
    }
    func confirm(_ proof: AccountProof) async throws -> Token? { nil }
}

@Suite("The list of sessions while several requests are on their way")
@MainActor
struct SessionListTests {
    private let own = ListedSession(
        id: "a", device: "Phone", platform: nil, appVersion: nil, lastSeenAt: nil, isCurrent: true)
    private let tablet = ListedSession(
        id: "b", device: "Tablet", platform: nil, appVersion: nil, lastSeenAt: nil, isCurrent: false)
    private let laptop = ListedSession(
        id: "c", device: "Laptop", platform: nil, appVersion: nil, lastSeenAt: nil, isCurrent: false)

    @Test("SE-8 an older answer that comes late does not show an ended session again")
    func lateList() async {
        let service = HeldSessions([own, tablet, laptop])
        let model = SessionListModel(service)
        await model.load()
        await service.holdNext(1)
        let late = Task { await model.load() }
        while await service.heldCount < 1 { await Task.yield() }
        await model.end("b")
        #expect(model.state == .loaded([own, laptop]))
        await service.release()
        await late.value
        #expect(model.state == .loaded([own, laptop]))
    }

    @Test("SE-8 of two sessions that are ended at once, neither is shown again, also when the list cannot be read")
    func together() async {
        let service = HeldSessions([own, tablet, laptop])
        let model = SessionListModel(service)
        await model.load()
        await service.holdNext(2)
        await service.goOffline()
        let ends = ["b", "c"].map { id in Task { await model.end(id) } }
        while await service.heldCount < 2 { await Task.yield() }
        #expect(model.ending == ["b", "c"])
        await service.release()
        for end in ends { await end.value }
        #expect(model.state == .loaded([own]) && model.ending.isEmpty)
    }
}
