import type { Ctx } from '#core/http/context.ts'

/**
 * Delays the response of a call until the fleet index of this process contains the commit of the call. A device that
 * receives a new token from the caller can then use the token at once. Does nothing while the index is not loaded.
 */
export const syncFleetAfterCommit = ({ services: { fleet }, afterCommit }: Pick<Ctx, 'services' | 'afterCommit'>) =>
  afterCommit(() => (fleet.isReady ? fleet.syncWithinLimit() : undefined))
