// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Observation

/// Where the person is signed in, this device marked; any other can be ended (SE-8).
@MainActor
@Observable
public final class SessionListModel {
    /// What there is to see.
    public enum State: Sendable, Hashable {
        case loading
        case loaded([ListedSession])
        /// With what to say.
        case failed(String)
    }

    public private(set) var state = State.loading
    /// The sessions that are being ended.
    public private(set) var ending: Set<String> = []
    /// The texts, which an app may replace.
    public let copy: Copy
    private let service: any AccountService

    public init(_ service: any AccountService, copy: Copy = .english) {
        self.service = service
        self.copy = copy
    }

    /// Reads the list; what was shown stays until there is something newer.
    public func load() async {
        do {
            state = .loaded(try await service.sessions())
        } catch {
            if case .loaded = state { return }
            state = .failed(copy[.unreachable])
        }
    }

    /// Ends a session that is not this device's, and reads the list again.
    public func end(_ id: String) async {
        guard case .loaded(let sessions) = state, let session = sessions.first(where: { $0.id == id }),
            !session.isCurrent, ending.insert(id).inserted
        else { return }
        defer { ending.remove(id) }
        do {
            try await service.endSession(id)
            state = .loaded(sessions.filter { $0.id != id })
            await load()
        } catch {
            state = .failed(copy[.unreachable])
        }
    }

    /// What a session is called: its device, or what it runs on.
    public func name(of session: ListedSession) -> String {
        session.device ?? session.platform ?? copy[.unknownDevice]
    }
}
