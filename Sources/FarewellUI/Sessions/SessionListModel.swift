// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Observation

/// Where the person is signed in, this device marked; any other can be ended (SE-8).
@MainActor
@Observable
public final class SessionListModel: PersonalModel {
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
    /// How often it was reset: what was asked for before is not shown after.
    private var era = 0

    public init(_ service: any AccountService, copy: Copy = .english) {
        self.service = service
        self.copy = copy
    }

    /// Reads the list; what was shown stays until there is something newer.
    public func load() async {
        let era = era
        do {
            let sessions = try await service.sessions()
            if era == self.era { state = .loaded(sessions) }
        } catch {
            if case .loaded = state { return }
            guard era == self.era else { return }
            state = .failed(copy[.unreachable])
        }
    }

    /// Ends a session that is not this device's, and reads the list again.
    public func end(_ id: String) async {
        guard case .loaded(let sessions) = state, let session = sessions.first(where: { $0.id == id }),
            !session.isCurrent, ending.insert(id).inserted
        else { return }
        let era = era
        defer { ending.remove(id) }
        do {
            try await service.endSession(id)
            guard era == self.era else { return }
            state = .loaded(sessions.filter { $0.id != id })
            await load()
        } catch {
            if era == self.era { state = .failed(copy[.unreachable]) }
        }
    }

    /// Nobody's list; what was asked for the person before is dropped.
    public func reset() {
        era += 1
        ending = []
        state = .loading
    }

    /// What a session is called: its device, or what it runs on.
    public func name(of session: ListedSession) -> String {
        session.device ?? session.platform ?? copy[.unknownDevice]
    }

    /// What else is known of its device; nil where nothing is.
    public func detail(of session: ListedSession) -> String? {
        let parts = [session.platform, session.appVersion].compactMap(\.self).filter { $0 != name(of: session) }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}
