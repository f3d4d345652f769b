import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

/** Path of SWUpdate from Debian. CI installs SWUpdate, so its absence fails the tests there. */
const SWUPDATE = '/usr/bin/swupdate'
const isHere = existsSync(SWUPDATE)
const isDemanded = Boolean(process.env.CI) || process.env.SWUPDATE === 'required'
/** Reason why SWUpdate tests are skipped; undefined when they run or must fail. */
export const withoutSwupdate = isHere || isDemanded ? undefined : `${SWUPDATE} is missing: apt-get install swupdate`

export function assertSwupdateInstalled() {
  if (!isHere) throw new Error(`${SWUPDATE} is missing: apt-get install swupdate`)
}

export interface Identity {
  readonly sn: string
  readonly token: string
  readonly url: string
  /** Certificate that signs images for this device. */
  readonly certificate: string
}

/** Returns the configuration of docs/guides/connect-swupdate.md with shorter waits. */
const configOf = ({ sn, token, url, certificate }: Identity) => `
globals : { public-key-file = "${certificate}"; };
identify : ( { name = "hwVer"; value = "B2"; }, { name = "serial"; value = "${sn}"; } );
suricatta : {
  tenant = "default"; id = "${sn}"; url = "${url}"; targettoken = "${token}";
  polldelay = 1; retry = 10; retrywait = 1;
};
`

export interface Client {
  /** Lines printed so far. */
  readonly lines: readonly string[]
  readonly stop: () => Promise<void>
}

/**
 * Starts a device that runs SWUpdate. Its sockets have their own folder, so that several devices can run concurrently.
 */
export function startSwupdate(folder: string, identity: Identity, more: readonly string[] = []): Client {
  const own = mkdtempSync(join(folder, 'client-'))
  const config = join(own, 'swupdate.cfg')
  writeFileSync(config, configOf(identity))
  const args = ['-v', '-f', config, '-H', 'board:1.0', '-u', more.join(' ')]
  const env = { ...process.env, TMPDIR: own }
  const child = spawn(SWUPDATE, args, { cwd: own, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  return { lines, stop: () => stop(child) }
}

async function stop(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  const kill = setTimeout(() => child.kill('SIGKILL'), 3000)
  await ended
  clearTimeout(kill)
}
