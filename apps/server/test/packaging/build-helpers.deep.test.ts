import { execFile } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, inject, test } from 'vitest'

const SCRIPTS = join(import.meta.dirname, '../../../../scripts')

test('the bundler leaves no helper process in the server process', async () => {
  // The folder is inside the workspace, like the bundle of the test run.
  const folder = mkdtempSync(join(inject('scratch'), 'bundle-'))
  const script = `
    import { readdirSync, readFileSync } from 'node:fs'
    const { bundleServer } = await import(${JSON.stringify(join(SCRIPTS, 'bundle.mjs'))})
    await bundleServer(${JSON.stringify(folder)})
    await new Promise((done) => setTimeout(done, 500))
    const parentOf = (pid) => { try { return readFileSync('/proc/' + pid + '/stat', 'utf8').split(') ')[1].split(' ')[1] } catch { return '' } }
    const children = readdirSync('/proc').filter((name) => /^[0-9]+$/.test(name) && parentOf(name) === String(process.pid))
    process.stdout.write(JSON.stringify(children))`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  expect(JSON.parse(stdout)).toEqual([])
})
