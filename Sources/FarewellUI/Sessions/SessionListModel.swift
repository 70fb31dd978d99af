// SPDX-License-Identifier: Apache-2.0

public import Farewell
public import FarewellClient
public import Observation

/// The user's sessions, with this device marked; any other can be ended (SE-8).
@MainActor
@Observable
public final class SessionListModel: PersonalModel {
    /// The state of the list.
    public enum State: Sendable, Hashable {
        case loading
        case loaded([ListedSession])
        /// With the text to show.
        case failed(String)
    }

    public private(set) var state = State.loading
    /// The sessions that are being ended.
    public private(set) var ending: Set<String> = []
    /// The texts, which an app may replace.
    public let copy: Copy
    private let service: any AccountService
    /// The number of resets: an answer to an earlier request is not shown.
    private var era = 0
    /// The number of requests for the list.
    private var begun = 0
    /// The newest request whose answer is shown: an older answer changes nothing.
    private var shown = 0

    public init(_ service: any AccountService, copy: Copy = .english) {
        self.service = service
        self.copy = copy
    }

    /// Reads the list; the shown one stays until there is a newer one.
    public func load() async {
        let era = era
        begun += 1
        let number = begun
        do {
            let sessions = try await service.sessions()
            guard era == self.era, number > shown else { return }
            shown = number
            state = .loaded(sessions)
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
        defer { if era == self.era { ending.remove(id) } }
        do {
            try await service.endSession(id)
            guard era == self.era else { return }
            // Other sessions may have been ended meanwhile, and lists requested before still have this one.
            if case .loaded(let now) = state { state = .loaded(now.filter { $0.id != id }) }
            shown = begun
            await load()
        } catch {
            if era == self.era { state = .failed(copy[.unreachable]) }
        }
    }

    /// Empties the list; answers to the former user's requests are dropped.
    public func reset() {
        era += 1
        ending = []
        state = .loading
    }

    /// The name of a session: its device, or its platform.
    public func name(of session: ListedSession) -> String {
        session.device ?? session.platform ?? copy[.unknownDevice]
    }

    /// Other facts about its device; nil if there are none.
    public func detail(of session: ListedSession) -> String? {
        let parts = [session.platform, session.appVersion].compactMap(\.self).filter { $0 != name(of: session) }
        return parts.isEmpty ? nil : parts.joined(separator: " · ")
    }
}
