import { parseBoardVersion } from '@oms/contract/agent/devices/board-version.ts'
import { FIRMWARE_COMPONENT } from '@oms/contract/upgrade/ota.ts'

interface Component {
  readonly type: number
  readonly fileName: string
}
interface Version<C extends Component> {
  readonly verName: string
  readonly verCode: number
  readonly components: readonly C[]
}

/**
 * Returns whether the name of a version is the text form of its number. The firmware of voice devices parses the name
 * as numbers and aborts on any other text.
 */
export const isBoardVersion = ({ verName, verCode }: Pick<Version<Component>, 'verName' | 'verCode'>) =>
  parseBoardVersion(verName) === verCode

/** Returns the only image of a version, or undefined when voice devices cannot install the version. */
export function findBoardImage<C extends Component>(version: Version<C>): C | undefined {
  const images = version.components.filter(
    ({ type, fileName }) => type === FIRMWARE_COMPONENT && fileName.toLowerCase().endsWith('.bin'),
  )
  return images.length === 1 && isBoardVersion(version) ? images[0] : undefined
}
