// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUIInterface)

import Farewell
import FarewellClient
import FarewellUI
import FarewellViews
import Foundation
import SwiftUIInterface
import Testing

@Suite("The first screen, on a fake of SwiftUI")
@MainActor
struct RootViewTests {
    @Test("SO-10 the screens of a user who comes after another, or returns, are not those of before with their state")
    func ownScreens() {
        func session(_ user: String) -> DeviceSession {
            DeviceSession(
                id: "s", user: DeviceUser(id: user), accessToken: Token("a"), refreshToken: Token("r"), expiresAt: .now,
                lifetime: 60)
        }
        let root = RootModel()
        let view = RootView(root) { _ in
            Text("welcome")
        } signedIn: { user in
            Text(user.id)
        }
        var seen: [String?] = []
        let (anna, berta) = (session("anna"), session("berta"))
        let events: [SessionEvent] = [.signedIn(anna), .signedIn(berta), .signedOut(.byYou), .signedIn(berta)]
        for event in events {
            root.take(event)
            let now = ViewNode.of(view).all.compactMap { $0.marks["id"] }.first
            #expect(now != nil && !seen.contains(now))
            seen.append(now)
        }
        root.take(.tokenRefreshed(berta))
        #expect(ViewNode.of(view).all.compactMap { $0.marks["id"] }.first == seen.last)
    }
}
#endif
