// SPDX-License-Identifier: Apache-2.0
import Farewell
import Foundation
import Testing

@testable import FarewellClient

/// Numbers that look random and are the same for a seed (SplitMix64, Steele and others 2014).
struct Dice {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func roll(_ sides: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((mixed ^ (mixed >> 31)) % UInt64(sides))
    }
}

@Suite("A network that comes and goes")
struct StormTests {
    /// One person, three processes, the network up and down and losing answers, processes killed, for 2,500 steps.
    ///
    /// After each: never two sessions; no token after a sign-out; no user signed out against their will.
    @Test("SE-5 SE-6 2,500 random steps under random network conditions break no promise", arguments: [1, 2, 3, 4] as [UInt64])
    func storm(_ seed: UInt64) async throws {
        try await World.with(life: 600) { world in
            var dice = Dice(seed)
            var devices = [try world.device(), try world.device(), try world.device()]
            for device in devices { await device.launch() }
            var isIn = false
            var signOuts = 0
            let backend = world.backend
            for step in 0..<2_500 {
                let index = dice.roll(3)
                let device = devices[index]
                switch dice.roll(100) {
                case 0..<15: world.weather.withLock { $0 = .fine }
                case 15..<20: world.weather.withLock { $0 = .down }
                case 20..<25: world.weather.withLock { $0 = .deaf }
                case 25..<28: world.weather.withLock { $0 = .failing }
                case 28..<45: world.time.pass(.seconds(dice.roll(400)))
                case 45..<50:
                    devices[index] = try world.device()
                    await devices[index].launch()
                case 50..<55: await device.deliver()
                case 55..<58 where !isIn:
                    world.weather.withLock { $0 = .fine }
                    try await device.signIn { () async throws(ProviderFailure) in backend.signIn("anna") }
                    isIn = true
                case 58..<60 where isIn:
                    _ = try await device.signOut(timeout: .zero)
                    isIn = false
                    signOuts += 1
                default:
                    let error = await code { _ = try await device.session }
                    let expected: Set<String?> = isIn ? [nil, "device.offline"] : ["device.signed-out"]
                    #expect(expected.contains(error), "seed \(seed), step \(step): \(error ?? "a session")")
                }
                var held: Set<String> = []
                for device in devices {
                    if let session = await device.standing.session { held.insert(session.id) }
                }
                guard case .record(let record) = await devices[0].vault.read() else { throw Odd("seed \(seed), step \(step)") }
                #expect((record?.session != nil) == isIn, "seed \(seed), step \(step)")
                // A process that has not looked yet may still hold the one before.
                #expect(held.count <= 2, "seed \(seed), step \(step)")
                guard step % 20 == 0 else { continue }
                for device in devices {
                    await device.look()
                    #expect(await device.standing.session == record?.session, "seed \(seed), step \(step): one session, or none")
                }
            }
            #expect(signOuts > 5)
            world.weather.withLock { $0 = .fine }
            for device in devices {
                let error = await code { _ = try await device.session }
                #expect(error == (isIn ? nil : "device.signed-out"), "seed \(seed)")
                await device.deliver()
            }
            #expect(backend.alarms == 0, "seed \(seed): nothing looked like theft")
            #expect(backend.state.withLock { $0.live.count } == (isIn ? 1 : 0), "seed \(seed): every sign-out was told")
        }
    }
}
