/** Columns of each endpoint’s flat file, in the order that callers rely on. */
export const COLUMNS: Readonly<Record<string, string>> = {
  '/v1/stats': 'category,markets,active_markets,snapshots,first_snapshot,latest_snapshot',
  '/api/debug': 'processes,rates,depths,errors,plans,notices',
  '/v1/categories': 'id,category,displayName,activeMarkets,captureIntervalMs,refreshIntervalMs',
  '/v1/markets/live':
    'conditionId,category,subcategory,label,tokenIds,outcomes,configId,slug,expired,expiresIn,question,eventTitle,startDate,endDate,timeframe,status,outcomeNames,venue,resolvedOutcome,resolvedAt,priceToBeat,priceToBeatSource,priceToBeatAt,settlementPrice,settlementPriceSource,settlementPriceAt',
  '/v1/quotes':
    'market_id,slug,venue,up_bid,up_bid_size,up_ask,up_ask_size,down_bid,down_bid_size,down_ask,down_ask_size,captured_at,sequence_number,age_ms,stale',
  '/v1/markets/search':
    'market_id,slug,question,event_title,category,subcategory,timeframe,status,end_date,venue,score',
  '/v1/events': 'event,title,venue,category,subcategory,timeframe,status,markets,start_date,end_date',
  '/v1/events/{event}':
    'market_id,slug,question,label,status,outcome_names,start_date,end_date,resolved_outcome,resolved_at',
  '/v1/markets/by-slug/{slug}':
    'market_id,category,subcategory,label,question,crypto,crypto_price,timeframe,slug,token_ids,outcomes,token_id_up,token_id_down,end_date,active,expired,expires_in,status,start_date,outcome_names,event_title,neg_risk_id,resolved_outcome,resolved_at,described_by,first_seen,last_seen,capture_interval_ms,snapshot_count,matched_by,requested_slug,crypto_price_source,price_to_beat,price_to_beat_source,price_to_beat_at,settlement_price,settlement_price_source,settlement_price_at,venue,event_slug',
  '/v1/markets/by-slug/{slug}/orderbook':
    'side,market_id,marketId,category,subcategory,label,question,timeframe,slug,crypto,crypto_price,cryptoPrice,stale,age_ms,matched_by,requested_slug,tokenId,timestamp,eventTimestamp,captureTimestamp,sequenceNumber,outcomeIndex,bestBid,bestAsk,midPrice,spread,bidDepth,askDepth,flags,bids,asks,proof,crypto_price_source,venue',
  '/v1/markets/{id}/orderbook':
    'side,market_id,marketId,category,subcategory,label,question,timeframe,slug,crypto,crypto_price,cryptoPrice,stale,age_ms,tokenId,timestamp,eventTimestamp,captureTimestamp,sequenceNumber,outcomeIndex,bestBid,bestAsk,midPrice,spread,bidDepth,askDepth,flags,bids,asks,proof,crypto_price_source,venue',
  '/v1/markets/{id}/summary':
    'market_id,category,crypto,timeframe,subcategory,label,question,snapshot_count,first_seen,last_seen,avg_mid_price,min_mid_price,max_mid_price,avg_spread,min_spread,max_spread,avg_crypto_price,min_crypto_price,max_crypto_price,avg_bid_depth,avg_ask_depth,sides,window,history_from,coverage,verified_slots,crossed_slots,gap_counts,unverified_slots,proof,price_to_beat,price_to_beat_source,price_to_beat_at,settlement_price,settlement_price_source,settlement_price_at,venue',
  '/v1/markets/history':
    'crypto,timeframe,market_id,category,subcategory,first_seen,last_seen,snapshot_count,is_live,end_date,question,slug,venue,resolved_outcome,resolved_at,price_to_beat,price_to_beat_source,price_to_beat_at,settlement_price,settlement_price_source,settlement_price_at,share',
  '/v1/markets/history/recent':
    'crypto,timeframe,market_id,category,subcategory,first_seen,last_seen,snapshot_count,is_live,end_date,question,slug,venue,resolved_outcome,resolved_at,price_to_beat,price_to_beat_source,price_to_beat_at,settlement_price,settlement_price_source,settlement_price_at,share',
  '/v1/markets/{id}/snapshots':
    'condition_id,token_id,side,event_timestamp,capture_timestamp,sequence_number,best_bid,best_ask,mid,spread,bids,asks,depth5_bid,depth5_ask,spot_crypto_usd,spot_crypto_age_ms,flags,proof',
  '/api/snapshot':
    'condition_id,token_id,side,event_timestamp,capture_timestamp,sequence_number,best_bid,best_ask,mid,spread,bids,asks,depth5_bid,depth5_ask,spot_crypto_usd,spot_crypto_age_ms,flags,distance_ms,proof,venue',
  '/api/snapshot/latest':
    'condition_id,token_id,side,event_timestamp,capture_timestamp,sequence_number,best_bid,best_ask,mid,spread,bids,asks,depth5_bid,depth5_ask,spot_crypto_usd,spot_crypto_age_ms,flags,proof,venue',
  '/v1/exchange/orderbook':
    'exchange,symbol,timestamp,best_bid,best_ask,mid_price,spread,bid_depth_total,ask_depth_total,bids,asks,sequence_number,event_timestamp,touch_bid,touch_bid_size,touch_ask,touch_ask_size,touch_timestamp,age_ms,event_age_ms,touch_age_ms,proof,venue',
  '/v1/exchange/snapshots':
    'exchange,symbol,timestamp,best_bid,best_ask,mid_price,spread,bid_depth_total,ask_depth_total,bids,asks,sequence_number,event_timestamp,touch_bid,touch_bid_size,touch_ask,touch_ask_size,touch_timestamp,proof,venue',
  '/v1/exchange/coverage': 'start,expected_slots,stored_slots,missing_slots,suspect_slots,share,condition,causes',
  '/v1/exchange/trades': 'exchange,symbol,trade_id,action,price,size,traded_at,received_at,transaction_hash',
  '/v1/exchange/funding': 'exchange,symbol,received_at,funding_rate,premium',
  '/v1/exchange/open-interest':
    'exchange,symbol,received_at,open_interest,open_interest_usd,day_volume,day_notional_usd',
  '/v1/exchange/prices':
    'exchange,symbol,received_at,mark_price,oracle_price,oracle_source,mid_price,impact_bid,impact_ask,previous_day_price',
  '/v1/exchange/bars':
    'start,open,high,low,close,last_spread,avg_spread,avg_bid_depth,avg_ask_depth,snapshot_count,expected_count',
  '/v1/exchange/export': 'first_slot,last_slot,from,to,cause,kind,known_at,slots,detail',
  '/v1/exchange/gaps': 'first_slot,last_slot,from,to,cause,kind,known_at,slots,detail',
  '/v1/prices': 'coin,source,price,price_at,time_from,received_at',
  '/v1/markets/{id}/execution':
    'market_id,token_id,side,action,size,notional,vwap,best_price,worst_price,mid,slippage,slippage_bps,slippage_mid,slippage_mid_bps,levels_used,filled_size,filled_notional,unfilled,fill_share,complete,sequence_number,capture_timestamp,event_timestamp,age_ms,flags,proof,venue',
  '/v1/asof':
    'requested,market_id,slug,matched_by,status,cause,age_ms,spot_crypto_usd,spot_crypto_age_ms,side,condition_id,token_id,event_timestamp,capture_timestamp,sequence_number,best_bid,best_ask,mid,spread,bids,asks,depth5_bid,depth5_ask,flags,perp_best_bid,perp_best_ask,perp_age_ms,perp_exchange,perp_symbol,perp_capture_timestamp,perp_event_timestamp,perp_event_age_ms,perp_mid_price,perp_spread,perp_bid_depth_total,perp_ask_depth_total,perp_touch_bid,perp_touch_bid_size,perp_touch_ask,perp_touch_ask_size,perp_touch_age_ms,perp_bids,perp_asks,sample_spot_crypto_age_ms,gap,proof,perp_proof,venue,perp_venue',
  '/v1/markets/{id}/bars':
    'start,open,high,low,close,last_spread,avg_spread,avg_depth5_bid,avg_depth5_ask,avg_bid_depth,avg_ask_depth,spot_open,spot_high,spot_low,spot_close,snapshot_count,expected_count',
  '/v1/trades': 'market_id,token_id,side,action,price,size,traded_at,received_at,transaction_hash,occurrence',
  '/v1/markets/{id}/gaps': 'first_slot,last_slot,from,to,cause,kind,known_at,slots,detail',
  '/v1/markets/{id}/coverage': 'start,expected_slots,stored_slots,missing_slots,suspect_slots,share,condition,causes',
  '/v1/coverage': 'start,expected_slots,stored_slots,missing_slots,suspect_slots,share,condition,causes,market_count',
  '/v1/markets/{id}/export': 'first_slot,last_slot,from,to,cause,kind,known_at,slots,detail',
  '/v1/limits':
    'tier,label,rpm,rateUsed,rateRemaining,rateResetSeconds,creditsRemaining,creditsPerMonth,keyCreditsRemaining,historyHours,formats,categories,liveExchangeBook,maxKeys,wsMax,mcp,freeBooksPerDay,freeBooksLeft,booksPerCredit',
  '/v1/credits':
    'id,at,kind,credits,balanceAfter,endpoint,keyId,keyLabel,requestId,refundOf,downloadPath,downloadUntil',
  '/v1/samples':
    'market_id,slug,question,venue,hour,revision,rows,bytes,sha256,coverage,gap_count,gaps,id,made_at,snapshots_path,file_path',
  '/v1/corrections': 'market_id,hour,revision,corrected_at,reason,rows_changed,gaps_changed,trades_changed,venue',
  '/v1/files':
    'id,kind,day,revision,category,coin,timeframe,market_id,markets,rows,bytes,sha256,credits,first_at,last_at,gaps,made_at,venue',
  '/v1/files/{id}':
    'id,kind,day,revision,category,coin,timeframe,market_id,markets,rows,bytes,sha256,credits,first_at,last_at,gaps,made_at,venue',
  '/v1/files/{id}/proof': 'id,sha256,bytes,rows,leaf,leaf_index,path,manifest',
  '/v1/manifests': 'number,hour,files,root,previous,hash,key_id,signature,sealed_at',
  '/v1/api-keys/validate': 'valid,active,label,tier,creditsRemaining',
}
