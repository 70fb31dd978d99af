// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUIInterface)
import SwiftUIInterface

/// The reader's own screen in each guide: the screen of an app without a signed-in user.
struct WelcomeScreen: View {
    var body: some View { Text("Welcome") }
}
#endif
