import antdPackage from 'antd/package.json' with { type: 'json' }
import { expect, test } from 'vitest'
import consolePackage from '../../package.json' with { type: 'json' }
import { PATCHED_VERSION } from './patched-version.ts'

test('the patches are made for the installed and pinned antd version', () => {
  expect(antdPackage.version).toBe(PATCHED_VERSION)
  expect(consolePackage.dependencies.antd).toBe(PATCHED_VERSION)
})
