// SPDX-License-Identifier: Apache-2.0
import Farewell
import FarewellClient
import Foundation

/// The code of docs/adopting/participants.md, compiled.
struct ParticipantsGuide {
    func own(_ files: AppFiles) -> [any Participant] {
        [
            PreferencesParticipant(keys: ["auth.*", "lastChat"]),
            PreferencesParticipant("all preferences", allBut: ["appearance", "textSize"]),
            FolderParticipant("downloads", at: files.downloads),
            DatabaseParticipant("library", at: files.library, closing: { try await files.closeLibrary() }),
            WebParticipant.answers(), WebParticipant.cookies(of: "example.org"),
        ]
    }

    func records(_ records: Records) -> StoreContainerParticipant {
        StoreContainerParticipant("records", stores: records.files, releasing: { await records.release() })
    }

    func systemPlaces() -> [any Participant] {
        [
            MemoryParticipant("notifications") {
                UNUserNotificationCenter.current().removeAllPendingNotificationRequests()
                UNUserNotificationCenter.current().removeAllDeliveredNotifications()
            },
            MemoryParticipant("search") { try await CSSearchableIndex.default().deleteAllSearchableItems() },
            MemoryParticipant("widgets") { WidgetCenter.shared.reloadAllTimelines() },
            MemoryParticipant("web views") {
                let all = await WKWebsiteDataStore.allWebsiteDataTypes()
                await WKWebsiteDataStore.default().removeData(ofTypes: all, modifiedSince: .distantPast)
            },
        ]
    }

    let pictures = MemoryParticipant("pictures") {
        ImageCache.default.clearMemoryCache()
        await ImageCache.default.clearDiskCache()
    }

    struct RevenueCatService: SubscriptionService {
        func logOut() async throws {
            if !Purchases.shared.isAnonymous { _ = try await Purchases.shared.logOut() }
        }
    }
}

// MARK: Third-party interfaces, as far as the guide uses them

/// The reader's app.
struct AppFiles: Sendable {
    let downloads, library: String
    func closeLibrary() async throws {}
}

/// The reader's own holder of a SwiftData container.
struct Records: Sendable {
    let files: [URL]
    func release() async {}
}

/// The shape of Kingfisher's cache.
struct ImageCache: Sendable {
    static let `default` = ImageCache()
    func clearMemoryCache() {}
    func clearDiskCache() async {}
}

/// The shape of RevenueCat's entry point.
enum Purchases: Sendable {
    case shared

    var isAnonymous: Bool { false }
    func logOut() async throws -> String { "" }
}

/// The shape of the system's notifications.
struct UNUserNotificationCenter: Sendable {
    static func current() -> UNUserNotificationCenter { UNUserNotificationCenter() }
    func removeAllPendingNotificationRequests() {}
    func removeAllDeliveredNotifications() {}
}

/// The shape of the system's search.
struct CSSearchableIndex: Sendable {
    static func `default`() -> CSSearchableIndex { CSSearchableIndex() }
    func deleteAllSearchableItems() async throws {}
}

/// The shape of the data of the system's web views.
@MainActor
final class WKWebsiteDataStore {
    static func `default`() -> WKWebsiteDataStore { WKWebsiteDataStore() }
    static func allWebsiteDataTypes() -> Set<String> { [] }
    func removeData(ofTypes types: Set<String>, modifiedSince date: Date) async {}
}

/// The shape of the system's widgets.
enum WidgetCenter: Sendable {
    case shared

    func reloadAllTimelines() {}
}
