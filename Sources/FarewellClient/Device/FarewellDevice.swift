// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation

/// A device and its signed-in user: the one source of truth for an app and its extensions.
///
/// ```swift
/// let device = try FarewellDevice(
///     FarewellProvider(server), in: StateFolder(path), participants: [FolderParticipant("images", at: cache)])
/// await device.launch()                     // finishes what a crash interrupted, then restores the session
/// for await event in device.events { … }    // the first is the present state
/// ```
///
/// Decisions are values (`RenewalClaim`, `SignOutState`, `DeletionState`); this actor performs them and records each
/// act before it begins. Neither the network nor a locked Keychain ever signs a user out.
public actor FarewellDevice {
    /// The events from now on; the present state comes first.
    public nonisolated let events: SessionEvents

    package nonisolated let provider: any SessionProvider
    let environment: ClientEnvironment
    let vault: SessionVault
    let journal: DepartureJournal
    let outbox: Outbox
    let previousUser: PreviousUser
    let asked: AskedSignOut
    let wipe: WipeRegistry
    let subscriptions: (any SubscriptionService)?
    let leavesSubscriptions: Clearing
    let observe: DepartureObserver
    private let hub: EventHub

    /// The newest state that this process has seen.
    public internal(set) var standing: SessionStanding
    /// The count of changes at which the token store was last read.
    var seen: UInt64 = .max
    var serverTime = ServerTime()
    /// The renewal in progress, and the name of its session.
    var renewal: (session: String, task: Task<DeviceSession, any Error>)?
    var launching: Task<SessionStanding, Never>?
    /// Repeats unfinished work until none is left.
    var upkeep: Task<Void, Never>?
    /// The number of launches in a row that found no record although one was stored.
    private var misses = 0
    /// The last user whose session this process had, until its memory is cleared: their data may be there.
    var person: String?
    /// The number of clean-ups of this process's memory that are in progress.
    private var clearings = 0
    /// The session that no event names before the memory holds nothing of another user.
    private var withheld: String?
    /// The sign-out in progress, and its scope.
    var leaving: (scope: SignOutScope, task: Task<SignOutResult, any Error>)?
    /// The call in progress that ends the user's other sessions.
    var endingOthers: Task<SignOutResult, any Error>?
    var deleting: Task<DeletionResult, any Error>?
    /// Whether an accepted deletion still has to clear this device, because another process kept the claim.
    var isClearingDue = false
    var exporting: Task<URL, any Error>?
    /// Sessions that have left this device: not restored if the token store could not be cleared. `nil` means any
    /// session in the store.
    var departed: Set<String?> = []
    /// Sessions whose end became known while a deletion waited for its answer.
    var endings: [String: SignOutReason] = [:]
    /// The number of repetitions of each interrupted deletion that the server answered with an error.
    var unclearAnswers: [String: Int] = [:]
    /// While an interrupted departure resumes, no event says that its user is still signed in.
    var isQuiet = false
    var calls: [UUID: @Sendable () -> Void] = [:]
    /// Messages for the server that could not be written into the outbox, such as on a full disk.
    var unwritten: [Outbox.Entry] = []
    /// The messages on their way to the server, by their identifiers.
    var delivering: [String: Task<Bool, Never>] = [:]
    let deliveryTurns = DeliveryTurns()

    /// - Parameters:
    ///   - folder: The folder of the device's journal, outbox and locks; the same for all processes of an app.
    ///   - store: Where the tokens are; without one the Keychain on Apple platforms, elsewhere an encrypted file in
    ///     `folder`. An app that shares the session with its extensions names its access group:
    ///     `SealedTokenStore(KeychainTokenStore(service: …, group: …), keyIn: folder)`.
    ///   - participants: Everything that holds data of the user.
    ///   - subscriptions: The subscription service that the device logs out of when the account is deleted.
    ///   - leavesSubscriptions: `.onSignOut` logs out of `subscriptions` at every sign-out as well; a slow
    ///     service delays none.
    /// - Throws: `device.participants`. Opens no file: an app may be started before the first unlock, when none can be
    ///   opened.
    public init(
        _ provider: any SessionProvider, in folder: StateFolder, store: (any TokenStore)? = nil,
        participants: [any Participant] = [], subscriptions: (any SubscriptionService)? = nil,
        leavesSubscriptions: Clearing = .onDeletion, environment: ClientEnvironment = .live()
    ) throws {
        try self.init(
            provider, in: folder, store: store, participants: participants, subscriptions: subscriptions,
            leavesSubscriptions: leavesSubscriptions, environment: environment, observe: { _ in })
    }

    package init(
        _ provider: any SessionProvider, in folder: StateFolder, store: (any TokenStore)? = nil,
        participants: [any Participant] = [], subscriptions: (any SubscriptionService)? = nil,
        leavesSubscriptions: Clearing = .onDeletion, environment: ClientEnvironment,
        observe: @escaping DepartureObserver
    ) throws {
        DeviceCrypto.prepare()
        self.provider = provider
        self.environment = environment
        self.subscriptions = subscriptions
        self.leavesSubscriptions = leavesSubscriptions
        self.observe = observe
        vault = SessionVault(store ?? folder.defaultStore, in: folder, environment)
        journal = DepartureJournal(in: folder, environment)
        outbox = Outbox(in: folder, environment)
        previousUser = PreviousUser(in: folder)
        asked = AskedSignOut(in: folder)
        wipe = try WipeRegistry(participants, pause: environment.pause)
        standing = .unknown(Self.notLaunched)
        hub = EventHub(standing)
        events = SessionEvents(hub: hub)
    }

    /// Sets the state and publishes it.
    func stand(_ standing: SessionStanding, saying event: SessionEvent?) {
        self.standing = standing
        if let user = standing.session?.user.id { person = user }
        if let withheld {
            if standing.session?.id == withheld { return }
            self.withheld = nil
        }
        if !isQuiet { hub.say(event, standing: standing) }
    }

    /// Sets the state to unknown, and publishes that if it is new.
    func standUnknown(_ error: FarewellError) {
        let unknown = SessionStanding.unknown(error)
        stand(unknown, saying: standing == unknown ? nil : .initial(unknown))
    }

    // MARK: Launch

    /// Finishes work that a crash interrupted, then restores the session. Call it before any screen shows.
    ///
    /// An app needs no other call: unfinished work is tried again in the background until it is done, such as a
    /// sign-out that the server has not received, a deletion without an answer, or tokens in a locked Keychain.
    /// `events` publishes the results.
    /// - Returns: the state. `unknown` while the tokens cannot be reached or a deletion waits for its answer;
    ///   `SessionStanding.help` says what to show meanwhile.
    @discardableResult
    public func launch() async -> SessionStanding {
        if let launching { return await launching.value }
        let work = Task { await restored() }
        launching = work
        defer {
            if launching == work { launching = nil }
            keepUp(isTried: false)
        }
        return await work.value
    }

    private func restored() async -> SessionStanding {
        removeUnfinishedExport()
        if case .unknown(.recordMissing) = vault.read() { misses += 1 } else { misses = 0 }
        do {
            if let departure = try journal.read(), try await !finish(departure) { return standing }
            if await hasLeftAsAsked() { return standing }
            look(isFirst: true)
        } catch {
            standUnknown(.of(error))
        }
        if let user = standing.session?.user { previousUser.addMark(user) }
        return standing
    }

    /// Reads the token store after another process has changed it, and publishes the new state.
    func look(isFirst: Bool = false) {
        let changes = vault.changes
        if changes == seen, !isFirst { return }
        switch vault.read() {
        case .unknown(let error):
            // A known state stays: a locked store says nothing about the session.
            guard standing.session == nil else { return }
            let isLost = error == .recordMissing && misses > Self.mostMisses
            standUnknown(isLost ? .recordLost : error)
        case .record(let record):
            seen = changes
            serverTime.recall(record?.lead)
            if let session = record?.session, departed.contains(session.id) || departed.contains(nil) { return }
            adopt(record)
        }
    }

    private func adopt(_ record: SessionRecord?) {
        switch (standing, record?.session) {
        case (.signedIn(let old), .some(let new)) where old.id == new.id:
            guard old != new else { return }
            stand(.signedIn(new), saying: old.user == new.user ? .tokenRefreshed(new) : .userUpdated(new.user))
        case (let before, .some(let new)):
            let isAnother = isOfAnother(than: new.user)
            guard isAnother || clearings > 0 else { return stand(.signedIn(new), saying: .signedIn(new)) }
            // Another process has signed a user out and the next one in. The next user is shown once nothing of the
            // former one is left in this process's memory.
            if before.session != nil { stand(.signedOut(.elsewhere), saying: .signedOut(.elsewhere)) }
            withheld = new.id
            stand(.signedIn(new), saying: nil)
            if isAnother { clearMemory(.deletion) }
        case (.signedIn, nil):
            let reason = record?.ending ?? .elsewhere
            // Only a deletion removes the record.
            clearMemory(record == nil || reason == .accountDeleted ? .deletion : .signOut)
            stand(.signedOut(reason), saying: .signedOut(reason))
        case (.signedOut, nil): return
        case (.unknown, nil):
            let found = SessionStanding.signedOut(record?.ending)
            stand(found, saying: .initial(found))
        }
    }

    /// Another process has cleared the device. This process clears its own memory, and an app also the places that an
    /// extension cannot reach.
    private func clearMemory(_ occasion: WipeOccasion) {
        stopCalls()
        clearings += 1
        let wipe = wipe
        Task {
            let report = await wipe.wipe(occasion, .memory)
            clearings -= 1
            if occasion == .deletion, report.isClean, standing.session == nil { person = nil }
            if clearings == 0, let session = standing.session, session.id == withheld {
                withheld = nil
                stand(standing, saying: .signedIn(session))
            }
            await finishLeft()
        }
    }

    /// Whether this process's memory may hold data of another user: another process has signed that user out.
    func isOfAnother(than user: DeviceUser) -> Bool { person.map { $0 != user.id } ?? false }

    /// Adopts the state that this process itself has just written.
    func adopt(written record: SessionRecord, saying event: SessionEvent?) {
        seen = vault.changes
        departed = []
        if let session = record.session { stand(.signedIn(session), saying: event) }
    }

    /// How many attempts, over about a minute, wait for a record that is not found: the Keychain may report that until
    /// the device is unlocked for the first time.
    static let mostMisses = 6

    static let notLaunched = FarewellError(
        "device.not-launched", .yoursToFix, "The device has not read its state yet.", remedy: "Call launch().")

    static let signedOut = FarewellError(
        "device.signed-out", .yoursToFix, "No user is signed in on this device.", remedy: "Sign in.")
}
