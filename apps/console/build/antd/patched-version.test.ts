import antdPackage from 'antd/package.json' with { type: 'json' }
import { expect, test } from 'vitest'
import consolePackage from '../../package.json' with { type: 'json' }
import { PATCHED_VERSION } from './patched-version.ts'

test('the antd patches match the antd version that is pinned and installed', () => {
  expect(antdPackage.version).toBe(PATCHED_VERSION)
  expect(consolePackage.dependencies.antd).toBe(PATCHED_VERSION)
})
