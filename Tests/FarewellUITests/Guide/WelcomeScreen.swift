// SPDX-License-Identifier: Apache-2.0
#if canImport(SwiftUIInterface)
import SwiftUIInterface

/// What each guide leaves to the reader: the screen of an app where nobody is signed in.
struct WelcomeScreen: View {
    var body: some View { Text("Welcome") }
}
#endif
